using System.Collections.Generic;
using static Bees.Helper;

namespace Example.Hives;

public class Hive : Base<Bee>, IKeeper
{
    private readonly Store store;
    public Queen First { get; set; }

    public Hive(string path, Queen queen) : base(path)
    {
        this.store = new Store(path);
        queen.Crown();
    }

    public async Task<Hive> Walk(int count, Func<Bee, int> each)
    {
        each(null);
        var made = new Hive("a", First);
        made.Walk(count, Help);
        Store local = Store.Open("b");
        local.Close();
        foreach (Bee bee in bees) bee.Fly();
        this.store.Close();
        bees.Select(bee => bee.Fly(count));
        return await made.Walk(1, null);
    }
}
