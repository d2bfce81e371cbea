// Which part of the picture is seen: where its middle is, and how large.

const SMALLEST = 0.02;
const LARGEST = 12;

export class Camera {
    x = 0;
    y = 0;
    scale = 1;
    width = 1;
    height = 1;

    /** From a place of the picture to one on the screen. */
    screenX(x) {
        return (x - this.x) * this.scale + this.width / 2;
    }

    screenY(y) {
        return (y - this.y) * this.scale + this.height / 2;
    }

    pictureX(x) {
        return (x - this.width / 2) / this.scale + this.x;
    }

    pictureY(y) {
        return (y - this.height / 2) / this.scale + this.y;
    }

    pan(dx, dy) {
        this.x -= dx / this.scale;
        this.y -= dy / this.scale;
    }

    /** Larger or smaller; what is at this place of the screen stays there. */
    zoom(by, atX = this.width / 2, atY = this.height / 2) {
        const [x, y] = [this.pictureX(atX), this.pictureY(atY)];
        this.scale = Math.max(SMALLEST, Math.min(LARGEST, this.scale * by));
        this.x = x - (atX - this.width / 2) / this.scale;
        this.y = y - (atY - this.height / 2) / this.scale;
    }

    /** So that all these places are seen. */
    fit(places, which) {
        let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
        for (const i of which) {
            left = Math.min(left, places[i * 2]);
            right = Math.max(right, places[i * 2]);
            top = Math.min(top, places[i * 2 + 1]);
            bottom = Math.max(bottom, places[i * 2 + 1]);
        }
        if (left > right) return;
        this.x = (left + right) / 2;
        this.y = (top + bottom) / 2;
        const [wide, high] = [right - left + 30, bottom - top + 30];
        this.scale = Math.max(SMALLEST, Math.min(3, 0.94 * Math.min(this.width / wide, this.height / high)));
    }

    copy() {
        return Object.assign(new Camera(), this);
    }
}
