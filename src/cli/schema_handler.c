/* The handler that `rille schema --script` writes: what it does with the fields. */
#include <string.h>

#include "cli/schema.h"

static void put_loop(struct rl_buf *out, const char *first, const char *number) {
  if (!first) {
    rl_buf_puts(out,
                "    local kept = batch -- no scalar was seen that could be a field\n"
                "    for i = 1, #kept do print(kept[i].value) end\n");
    return;
  }
  bool one = strcmp(first, number) == 0;
  rl_buf_printf(out,
                "    local kept = batch:where \"%s ~= nil\" -- any expression over the fields\n"
                "    for i = 1, #kept do print(kept.%s[i]%s%s%s) end\n",
                number, first, one ? "" : ", kept.", one ? "" : number, one ? "" : "[i]");
}

void rl_schema_put_handler(struct rl_buf *out, const char *first, const char *number, bool many) {
  rl_buf_puts(out, "  handle = function(batch, out)\n");
  put_loop(out, first, number ? number : first);
  if (many)
    rl_buf_puts(
        out,
        "    -- out:forward(\"TOPIC\", kept) -- sends the whole messages on that what was kept is of\n"
        "    -- for _, row in ipairs(kept:rows()) do out:send(\"TOPIC\", row) end -- each alone, as JSON\n");
  else
    rl_buf_puts(out, "    -- out:forward(\"TOPIC\", kept) -- sends what was kept on, byte for byte\n");
  rl_buf_puts(out, "  end,\n}\n");
}
