local M = {}
local LIMIT = 10

-- Adds two.
function M.add(a, b)
  local sum = a + b
  return sum
end

function M:draw()
  return self
end

local function helper()
  return 1
end

local twice = function(x)
  return x * 2
end

M.rotate = function(angle)
  return angle
end

return M
