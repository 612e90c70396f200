# The codecs alone, without a broker, and plots: included by the Makefile.
MICRO := $(BUILD)/bench/micro_codec $(BUILD)/bench/micro_json $(BUILD)/bench/micro_tensor $(BUILD)/bench/micro_where

.PHONY: bench-micro bench-plots
bench-micro: $(MICRO) ## what decoders, tensors and where cost without a broker, beside memcpy, fastavro, lua-cjson, Python, Lua
	@tests/deps/install bench
	@BUILD=$(BUILD) tests/bench/micro

.PHONY: bench-model
MODEL ?= ../shared/data/models/acai_h.d1_dnn_20201130.onnx
bench-model: $(BUILD)/bench/micro_model onnxruntime ## what rille.model costs over the bare runtime (MODEL=FILE.onnx ROWS=39 THREADS=1)
	@RILLE_ONNXRUNTIME=$(abspath $(BUILD))/libonnxruntime.so $(BUILD)/bench/micro_model $(MODEL) 10 $(or $(ROWS),39) $(or $(THREADS),1)

$(BUILD)/bench/micro_model: tests/bench/micro_model.c $(BUILD)/flags $(call below,lua)
	@mkdir -p $(@D)
	$(call say,cc,$<)$(run)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(filter %.a,$^) $(LIBS) $(LUA_LIBS)

bench-plots: ## what a message costs as messages, fields, bytes, lanes, partitions grow: tables, plots (MAX=1e7 SWEEPS)
	@tests/deps/install build test bench
	@$(MAKE) all kafka
	@BUILD=$(BUILD) tests/bench/growth

$(BUILD)/bench/micro_tensor $(BUILD)/bench/micro_where: $(BUILD)/bench/%: tests/bench/%.c $(BUILD)/flags $(call below,lua)
	@mkdir -p $(@D)
	$(call say,cc,$<)$(run)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(filter %.a,$^) $(LIBS) $(LUA_LIBS)

# C has a struct and a function of one name (bytes.h): to C++ one hides the other.
$(BUILD)/bench/%: tests/bench/%.cpp $(BUILD)/flags $(BUILD)/codec.a $(BUILD)/base.a
	@mkdir -p $(@D)
	$(call say,cxx,$<)$(run)$(CXX) $(CPPFLAGS_ALL) $(CXXFLAGS_ALL) -Wno-shadow -O3 -march=native $(LDFLAGS_ALL) -o $@ $< $(filter %.a,$^) $(LIBS)

$(BUILD)/bench/%: tests/bench/%.c $(BUILD)/flags $(BUILD)/codec.a $(BUILD)/base.a
	@mkdir -p $(@D)
	$(call say,cc,$<)$(run)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(LDFLAGS_ALL) -o $@ $< $(filter %.a,$^) $(LIBS)
