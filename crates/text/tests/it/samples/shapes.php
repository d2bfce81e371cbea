<?php

namespace App\Shapes;

use App\Base;

const LIMIT = 10;
define('UNIT', 'cm');

/** What has an area. */
interface Shape
{
    public function area(): float;
}

trait Named
{
    public function name()
    {
        return 'shape';
    }
}

#[Entity]
abstract class Circle extends Base implements Shape
{
    use Named;
    const KIND = 'round';
    private int $radius = 1, $other;

    public function __construct(private int $x)
    {
    }

    /** How much it covers. */
    public static function area(): float
    {
        $local = 1;
        return 1;
    }

    abstract function draw();
}

enum Colour: string
{
    case Red = 'r';

    public function shade()
    {
    }
}

function top($x)
{
    return $x;
}

$twice = fn($x) => $x * 2;
