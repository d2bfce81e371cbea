<?php
namespace Example;

use Bees\Bee;
use Store\Shelf as Kept;

class Hive extends Base implements Keeper
{
    private Store $store;

    public function __construct(string $path, private Queen $queen)
    {
        parent::__construct($path);
        $this->store = new Kept($path);
        $queen->crown();
    }

    public function walk(int $count, ?Bee $bee = null, ...$rest): ?Hive
    {
        $made = new Hive("a", helper($count));
        $made->walk(self::LIMIT);
        $this->store->close();
        $bee?->fly();
        return Store::open($made)->hive();
    }
}
