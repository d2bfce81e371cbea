using System;

namespace Geo.Flat
{
    /// <summary>A circle.</summary>
    [Serializable]
    public class Circle<T> : Shape where T : class
    {
        private const int Limit = 10;
        private readonly int _x, _y;
        public int Radius { get; set; }
        public event EventHandler Changed;

        public Circle(int radius)
        {
            Radius = radius;
        }

        [Obsolete]
        public override int Area(int scale)
        {
            int Square(int x) { return x * x; }
            return Square(scale);
        }

        public static Circle operator +(Circle a, Circle b) => a;
        public int this[int index] { get { return 1; } }
    }

    interface IShape
    {
        void Draw();
    }

    struct Point { int x; }
    record Pair(int X);
    enum Colour { Red, Green }
    delegate int Reduce(int x);
}
