/* What those who know kcat type out of habit, and what it is called here. */
#ifndef RL_CLI_KCAT_H
#define RL_CLI_KCAT_H

/* The mode letter in a line such as "-b HOST -t TOPIC -C", and a sentence about it; NULL: there is none. */
const char *rl_kcat_mode(int argc, char *const *argv, char *letter);
/* A sentence about a letter that no command of ours has; NULL: nothing is known. */
const char *rl_kcat_letter(char letter);

#endif
