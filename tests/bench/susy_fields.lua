-- The fields of the SUSY rows: 18 numbers by position, f1 to f18, and the label from the message's key, of the type given.
-- Returns the columns' names and the fields.
return function(label_type)
  local names, fields = {}, { label = { path = "@key", type = label_type } }
  for i = 1, 18 do
    names[i] = "f" .. i
    fields[names[i]] = { path = names[i], type = "f32" }
  end
  return names, fields
end
