#include "proxy/core/date_line.hpp"

#include <array>

namespace bellows::proxy {

namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void append_two(std::int64_t number, std::string& out) {
  out += static_cast<char>('0' + number / 10);
  out += static_cast<char>('0' + number % 10);
}

}  // namespace

void DateLine::set(TimePoint now, WallTime wall) {
  using std::chrono::floor;
  const auto second = floor<std::chrono::seconds>(wall);
  const auto day = floor<std::chrono::days>(second);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(second - day);
  valid_until_ = now + (second + std::chrono::seconds(1) - wall);
  text_ = "Date: ";
  text_ += kDays[std::chrono::weekday(day).c_encoding()];
  text_ += ", ";
  append_two(static_cast<unsigned>(date.day()), text_);
  text_ += ' ';
  text_ += kMonths[static_cast<unsigned>(date.month()) - 1];
  text_ += ' ';
  text_ += std::to_string(static_cast<int>(date.year()));
  text_ += ' ';
  append_two(time.hours().count(), text_);
  text_ += ':';
  append_two(time.minutes().count(), text_);
  text_ += ':';
  append_two(time.seconds().count(), text_);
  text_ += " GMT\r\n";
}

}  // namespace bellows::proxy
