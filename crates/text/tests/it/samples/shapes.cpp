#include <string>

namespace geo::flat {

namespace {
int hidden() { return 1; }
}  // namespace

/// What has an area.
template <typename T>
class Box : public Base {
 public:
  Box() : side_(1) {}
  ~Box();
  Box(const Box&) = delete;

  // How long a side is.
  T side() const { return side_; }
  virtual void draw() = 0;
  bool operator==(const Box& other) const;
  static int count;

  enum class Kind { Small, Large };
  struct Inner {
    int depth;
  };
  operator bool() const { return true; }

 private:
  T side_;
};

template <typename T>
T* Box<T>::pointer() {
  return &side_;
}

void Circle::draw() {
  auto local = [](int y) { return y; };
}

std::string& other::Circle::name() { return name_; }
Circle::Circle(int radius) : radius_(radius) {}
bool operator<(const Circle& a, const Circle& b) { return true; }

using Number = double;
template <class T>
using List = std::vector<T>;
constexpr int kLimit = 10;

extern "C" {
int exported(int);
}

}  // namespace geo::flat
