/* The userdata "rille.mlp" and the table rille.mlp: a dense network, trained mini-batch by mini-batch
 * (model/mlp.h says what it is).
 *
 * rille.mlp{ 18, 128, 256, 128, 1, hidden = "relu", output = "sigmoid", dropout = { 0.2, 0.4, 0.4 }, … }
 *                           sizes: inputs, hidden layers, outputs. dropout: a rate behind each hidden layer,
 * or one for all; learning_rate (0.001), beta1 (0.9), beta2 (0.999), epsilon (1e-7), seed (1). "relu" and
 * "sigmoid" are the only ones there are. rille.mlp.load(path [, options])   a network that :save wrote; nil
 * and a message when that fails. Its options are what it was made with, but for those given here.
 *
 * m:train(x, y)     one step on a mini-batch: x is [n, inputs], y [n] or [n, outputs], of numbers from 0 to
 * 1; tensors of any type, or arrays. Gives the mean loss before the step; NaN of no rows. m:evaluate(x, y)
 * the mean loss and the accuracy, without dropout; NaN of no rows m(x), m{ features = x }   scores, float32
 * [n, outputs]; NaN where the row has a NaN m:save(path), m:load(path)   true, or nil and a message. Only a
 * network of the same sizes is loaded. m.inputs, m.outputs (as a model's), m.parameters
 *
 * A wrong argument is a script failure (S4.6), as is a network whose numbers grew too large. Shapes that do
 * not fit, an x or y that is NaN or infinite, and a label outside 0 to 1 are ordinary errors that name the
 * row: they may be a message's fault. Memory counts against the state's limit. */
#ifndef RL_LUA_MLP_H
#define RL_LUA_MLP_H

#include <lua.h>

#define RL_MLP_TYPE "rille.mlp"

/* Pushes the table rille.mlp; registers the type. */
void rl_lua_open_mlp(lua_State *L);

#endif
