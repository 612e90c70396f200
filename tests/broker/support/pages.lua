-- Manual pages as tests read them.
local M = {}

-- A text of a page's source as it is printed: without roff's escapes.
function M.plain(text) return (text:gsub("\\e", "\\"):gsub("\\%-", "-"):gsub("\\&", "")) end

-- The examples of a page's source: blocks between .Bd -literal and .Ed.
function M.examples(page)
  local blocks, block = {}, nil
  for line in io.lines(page) do
    if line:find "^%.Bd %-literal" then
      block = {}
    elseif line == ".Ed" then
      blocks[#blocks + 1] = table.concat(block, "\n")
      block = nil
    elseif block then
      block[#block + 1] = M.plain(line)
    end
  end
  return blocks
end

return M
