local store = require("store")
local bees = require "bees.bee"

local Hive = {}

function Hive.open(path, ...)
  local made = store.open(path)
  made:close(LIMIT)
  return Hive.wrap(made)
end

function Hive:walk(count)
  self:go(count)
  for _, bee in ipairs(self.bees) do
    bee:fly()
  end
  local function inner(x)
    return helper(x)
  end
  inner(("text"):upper())
end
