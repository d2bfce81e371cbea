require "set"

# What is flat.
module Geo
  LIMIT = 10

  class Circle < Shape
    attr_reader :radius, :name

    def initialize(radius)
      @radius = radius
    end

    # How much it covers.
    def area?
      local = 3
    end

    def self.unit = new(1)

    class << self
      def parse(text)
        new(text)
      end
    end
  end

  Point = Struct.new(:x) do
    def zero?
      x == 0
    end
  end
end

def draw(shape)
  shape
end
