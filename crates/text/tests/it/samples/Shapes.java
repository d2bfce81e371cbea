package org.example;

import java.util.List;

/** A circle. */
@Deprecated
public abstract class Circle<T> extends Base implements Shape {
    public static final int LIMIT = 10;
    private int radius, other = 1;

    static {
        System.out.println();
    }

    public Circle(int radius) {
        this.radius = radius;
    }

    /** How much it covers. */
    @Override
    public double area() throws IOException {
        Runnable later = new Runnable() {
            public void run() {}
        };
        return 1;
    }

    abstract void draw();

    enum Kind {
        SMALL,
        LARGE;

        int size() {
            return 1;
        }
    }

    interface Listener {
        int CODE = 1;
        void changed();
    }

    record Pair(int a) {}

    @interface Marker {
        String value() default "";
    }
}
