# The manual pages and the completion, made from src/man and the table of options.
MAN_SOURCES := $(wildcard src/man/*.1.in src/man/*.7.in)

.PHONY: man
man: $(BUILD)/man/.done ## the manual pages and bash's completion into build/man

$(BUILD)/man/manual: $(BUILD)/obj/man/manual.c.o $(filter-out $(BUILD)/module.a,$(ARCHIVES))
	@mkdir -p $(@D)
	$(call say,link,$@)$(run)$(CC) $(LDFLAGS_ALL) -Wl,-E -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LIBS) $(LUA_LIBS) -ldl

$(BUILD)/man/.done: $(BUILD)/man/manual $(MAN_SOURCES)
	$(call say,man,$(@D))$(BUILD)/man/manual src/man $(@D)
	@for page in src/man/*.7.in; do cp $$page $(@D)/$$(basename $$page .in); done
	@touch $@

install: man
-include $(wildcard $(BUILD)/obj/man/*.d)

.PHONY: lint-man
lint-man: man ## mandoc -Tlint over the manual pages
	@if command -v mandoc > /dev/null; then cd $(BUILD)/man && mandoc -Tlint *.1 *.7; else echo 'no mandoc here: left out'; fi
