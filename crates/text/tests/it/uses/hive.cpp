// A hive, and what it uses.
#include <memory>
#include "store.hpp"

using namespace bees;
using other::Thing;
namespace wax = other::wax;

namespace hive {

constexpr int LIMIT = 10;

enum class State { Empty, Full };

template <typename T>
class Base {
public:
    virtual ~Base() = default;
    virtual T* go(int count = 1) const = 0;
};

class Hive : public Base<Hive>, private other::Keeper {
public:
    explicit Hive(const std::string& path, Queen queen);
    static std::unique_ptr<Hive> open(std::string path);
    Hive* go(int count) const override { return walk(count), this->store_.open(), nullptr; }
    int walk(int count);

private:
    Store store_;
    Queen* first_ = nullptr;
    std::shared_ptr<Store> shared_;
};

Hive::Hive(const std::string& path, Queen queen) : store_(path), first_(new Queen(queen)) {
    queen.crown();
    Base::go(LIMIT);
}

std::unique_ptr<Hive> Hive::open(std::string path) {
    return std::make_unique<Hive>(path, Queen{});
}

int Hive::walk(int count) {
    store_.close();
    this->first_->crown();
    Hive made(std::string("a"), Queen());
    made.walk(1);
    auto opened = Hive::open("b");
    opened->walk(2);
    auto fresh = new Hive("c", {});
    fresh->walk(helper(LIMIT));
    auto kept = std::make_shared<Store>(1);
    kept->close();
    Store local{count};
    local.close();
    for (auto& bee : bees()) {
        bee.fly();
    }
    std::for_each(begin(), end(), [this, count](const Bee& bee) { bee.fly(count); walk(3); });
    try {
        wax::melt<Store>(State::Empty, ::global());
    } catch (const Error& error) {
        error.show();
    }
    static_cast<Hive*>(other)->walk(4);
    auto [a, b] = pair();
    a.go();
    return Thing::count + hive::helper(5);
}

template <class K, typename... Rest>
K loud(K keeper, Rest... rest) {
    keeper.keep(rest...);
    return K::make();
}

}  // namespace hive
