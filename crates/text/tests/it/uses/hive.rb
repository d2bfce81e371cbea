require "set"
require_relative "bees/bee"

class Hive < Bees::Base
  include Keeper

  def initialize(path, queen = Queen.new, *rest)
    @store = Store.new(path)
    queen.crown
    super
  end

  def walk(count, &each)
    made = Hive.new("a")
    made.walk(count)
    self.go(LIMIT)
    bees.each { |bee| bee.fly(count) }
    helper(made)
    Bees::Comb.make("text".upcase)
  end

  def self.open(path)
    new(path)
  end
end
