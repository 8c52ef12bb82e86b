#include "http/core/chunk_scanner.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bellows::http {
namespace {

struct Seen {
  std::size_t used = 0;
  bool complete = false;
  ChunkFault fault = ChunkFault::kNone;
  std::uint64_t data = 0;
  bool operator==(const Seen&) const = default;
};

Seen scan(const std::vector<std::string_view>& spans) {
  ChunkScanner scanner;
  Seen seen;
  for (const std::string_view span : spans) {
    const std::size_t used = scanner.feed(span);
    seen.used += used;
    if (used < span.size()) break;
  }
  seen.complete = scanner.is_complete();
  seen.fault = scanner.fault();
  seen.data = scanner.data_bytes();
  return seen;
}

struct Chunks {
  const char* what;
  std::string bytes;
  std::size_t body;  // bytes that belong to it
  ChunkFault fault;
};

const std::vector<Chunks>& table() {
  using Fault = ChunkFault;
  static const std::vector<Chunks> rows = {
      {"one chunk", "5\r\nhello\r\n0\r\n\r\n", 15, Fault::kNone},
      {"two chunks and the next request", "1\r\na\r\nA\r\n0123456789\r\n0\r\n\r\nGET /", 26,
       Fault::kNone},
      {"an empty body", "0\r\n\r\n", 5, Fault::kNone},
      {"leading zeros", "0005\r\nhello\r\n000\r\n\r\n", 20, Fault::kNone},
      {"an extension", "5;a=\"b c\"\r\nhello\r\n0;x\r\n\r\n", 25, Fault::kNone},
      {"trailers", "0\r\nX-Sum: 1\r\nY:\r\n\r\n", 19, Fault::kNone},
      {"no size", "\r\n", 1, Fault::kBadSize},
      {"no hexadecimal", "5x\r\n", 2, Fault::kBadSize},
      {"0x in front", "0x5\r\nhello\r\n", 2, Fault::kBadSize},
      {"a minus", "-5\r\n", 1, Fault::kBadSize},
      {"a space behind the size", "5 \r\nhello\r\n", 2, Fault::kBadSize},
      {"a size of 16 digits", "0000000000000005\r\n", 16, Fault::kSizeOverflow},
      {"a size beyond all", "fffffffffffffffff\r\n", 16, Fault::kSizeOverflow},
      {"bare LF behind the size", "5\nhello\r\n", 2, Fault::kBadLineEnd},
      {"CR and something behind the size", "5\rxhello", 3, Fault::kBadLineEnd},
      {"bare LF behind the data", "5\r\nhello\n", 9, Fault::kBadLineEnd},
      {"data longer than its size", "4\r\nhello\r\n", 8, Fault::kBadLineEnd},
      {"bare LF within an extension", "5;a\nhello", 4, Fault::kBadExtension},
      {"a NUL within an extension", std::string("5;\0", 3), 3, Fault::kBadExtension},
      {"a trailer without colon", "0\r\nnonsense\r\n\r\n", 12, Fault::kBadTrailer},
      {"a folded trailer", "0\r\nX: a\r\n b\r\n\r\n", 10, Fault::kBadTrailer},
      {"a space before a trailer's colon", "0\r\nX : a\r\n\r\n", 5, Fault::kBadTrailer},
      {"a late length, RFC 9110 6.5.1", "0\r\nContent-Length: 5\r\n\r\n", 24, Fault::kNone},
      {"bare LF in a trailer", "0\r\nX: a\n\r\n", 8, Fault::kBadLineEnd},
      {"a control byte in a trailer", "0\r\nX: \x01\r\n\r\n", 7, Fault::kBadTrailer},
      {"bare LF at the very end", "0\r\n\n", 4, Fault::kBadTrailer},
      {"CR without LF at the very end", "0\r\n\rx", 5, Fault::kBadLineEnd},
  };
  return rows;
}

TEST(ChunkScanner, FindsTheEndOrTheFault) {
  for (const Chunks& row : table()) {
    const Seen seen = scan({row.bytes});
    EXPECT_EQ(seen.fault, row.fault) << row.what << ": " << fault_text(seen.fault);
    EXPECT_EQ(seen.used, row.body) << row.what;
    EXPECT_EQ(seen.complete, row.fault == ChunkFault::kNone) << row.what;
  }
}

TEST(ChunkScanner, EverySplitGivesTheSameResult) {
  for (const Chunks& row : table()) {
    const std::string_view bytes = row.bytes;
    const Seen whole = scan({bytes});
    std::vector<std::string_view> single;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      EXPECT_EQ(scan({bytes.substr(0, i), bytes.substr(i)}), whole) << row.what << " cut at " << i;
      single.push_back(bytes.substr(i, 1));
    }
    EXPECT_EQ(scan(single), whole) << row.what << " byte by byte";
  }
}

std::string data_of(const std::vector<std::string_view>& spans) {
  ChunkScanner scanner;
  std::string data;
  for (std::string_view span : spans) {
    while (!span.empty() && !scanner.is_complete() && !scanner.is_broken()) {
      data += scanner.next_data(span);
    }
  }
  return data;
}

TEST(ChunkScanner, ReturnsTheDataOnlyHoweverItIsSplit) {
  const std::string_view body = "3;x=1\r\nabc\r\n1\r\nd\r\n0\r\nX: y\r\n\r\nGET /";
  for (std::size_t cut = 0; cut <= body.size(); ++cut) {
    EXPECT_EQ(data_of({body.substr(0, cut), body.substr(cut)}), "abcd") << "cut at " << cut;
  }
  std::string_view rest = body;
  ChunkScanner scanner;
  while (!scanner.is_complete()) scanner.next_data(rest);
  EXPECT_EQ(rest, "GET /") << "what follows is left";
  EXPECT_EQ(data_of({"2\r\nabX"}), "ab") << "and what came before a fault";
}

/// What a receiver gets of a body that comes in these pieces.
std::string forwarded(const std::vector<std::string_view>& spans, SizeBlanks blanks) {
  ChunkScanner scanner(blanks);
  std::string out;
  for (const std::string_view span : spans) {
    const ChunkScanner before = scanner;
    const std::size_t used = scanner.feed(span);
    EXPECT_FALSE(scanner.is_broken()) << fault_text(scanner.fault());
    if (scanner.was_canonical()) {
      out += span.substr(0, used);
      continue;
    }
    scanner = before;
    EXPECT_EQ(scanner.feed(span, out), used);
  }
  EXPECT_TRUE(scanner.is_complete());
  return out;
}

// RFC 9112 7.1.1 and 7.1.2, RFC 9110 6.5.1.
TEST(ChunkScanner, AnySplitYieldsTheSameSizesDataAndTrailers) {
  struct Case {
    const char* what;
    std::string bytes;
    std::string forwarded;
  };
  const std::string end = "0\r\n\r\n";
  const std::vector<Case> cases = {
      {"nothing odd", "5\r\nhello\r\n" + end, "5\r\nhello\r\n" + end},
      {"an extension", "5;a=b\r\nhello\r\n0;x\r\n\r\n", "5\r\nhello\r\n" + end},
      {"a quote that does not end", "1;a=\"\r\nX\r\n" + end, "1\r\nX\r\n" + end},
      {"an extension that is none", "5;foo bar*\r\nhello\r\n" + end, "5\r\nhello\r\n" + end},
      {"an empty extension", "2;\r\nok\r\n" + end, "2\r\nok\r\n" + end},
      {"blanks", "2 \t\r\nok\r\n0 ;a\r\n\r\n", "2\r\nok\r\n" + end},
      {"trailers", "0\r\nX-Sum: 1\r\nY:\r\n\r\n", "0\r\nX-Sum: 1\r\nY:\r\n\r\n"},
      {"one that must not be a trailer", "0\r\nX: 1\r\nKeep-Alive: 5\r\nY: 2\r\n\r\n",
       "0\r\nX: 1\r\nY: 2\r\n\r\n"},
      {"only such", "0\r\nHost: b\r\nConnection: close\r\nX-Bellows-Retry: 1\r\n\r\n", end},
      {"framing", "0\r\nContent-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n", end},
  };
  for (const Case& row : cases) {
    const std::string_view bytes = row.bytes;
    EXPECT_EQ(forwarded({bytes}, SizeBlanks::kAccepted), row.forwarded) << row.what;
    std::vector<std::string_view> single;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      single.push_back(bytes.substr(i, 1));
      EXPECT_EQ(forwarded({bytes.substr(0, i), bytes.substr(i)}, SizeBlanks::kAccepted),
                row.forwarded)
          << row.what << " cut at " << i;
    }
    EXPECT_EQ(forwarded(single, SizeBlanks::kAccepted), row.forwarded) << row.what << " singly";
  }
}

TEST(ChunkScanner, TrailersOfHopsPassBetweenHopsOnly) {
  const std::string_view body = "0\r\nX: 1\r\nX-Bellows-Reason: reset\r\nHost: b\r\n\r\n";
  const auto trailers = [&](HopTrailers hops) {
    ChunkScanner scanner(SizeBlanks::kRejected, hops);
    EXPECT_EQ(scanner.feed(body), body.size());
    return std::string(scanner.trailers());
  };
  EXPECT_EQ(trailers(HopTrailers::kDropped), "X: 1\r\n");
  EXPECT_EQ(trailers(HopTrailers::kKept), "X: 1\r\nX-Bellows-Reason: reset\r\n");
}

TEST(ChunkScanner, KnowsWhereAChunkMayBegin) {
  // '^' marks each place, in a body that comes byte by byte.
  const std::string_view marked = "^3;x\r\nabc\r\n^a\r\n0123456789\r\n^0\r\nX: y\r\n\r\n";
  ChunkScanner scanner;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    EXPECT_EQ(scanner.is_between_chunks(), marked[i] == '^') << "before byte " << i;
    if (marked[i] == '^') ++i;
    scanner.feed(marked.substr(i, 1));
  }
  EXPECT_TRUE(scanner.is_complete());
  EXPECT_FALSE(scanner.is_between_chunks());
  ChunkScanner broken;
  broken.feed("x");
  EXPECT_FALSE(broken.is_between_chunks());
}

TEST(ChunkScanner, BlanksAfterASizeAreAcceptedWhereAllowed) {
  struct Padded {
    std::string bytes;
    ChunkFault fault;
  };
  const std::vector<Padded> table = {
      {"2 \r\nok\r\n0  \t\r\n\r\n", ChunkFault::kNone},
      {"2 ;a=b\r\nok\r\n0\r\n\r\n", ChunkFault::kNone},
      {"2 3\r\n", ChunkFault::kBadSize},
      {" 2\r\n", ChunkFault::kBadSize},
      {"2 \nok", ChunkFault::kBadLineEnd},
      {"2" + std::string(257, ' ') + "\r\n", ChunkFault::kExtensionTooLong},
  };
  for (const Padded& row : table) {
    ChunkScanner scanner(SizeBlanks::kAccepted);
    for (const char c : row.bytes) scanner.feed({&c, 1});
    EXPECT_EQ(scanner.fault(), row.fault) << row.bytes;
    EXPECT_EQ(scanner.is_complete(), row.fault == ChunkFault::kNone) << row.bytes;
  }
}

TEST(ChunkScanner, BoundsExtensionsAndTrailers) {
  EXPECT_EQ(scan({"5;" + std::string(257, 'x')}).fault, ChunkFault::kExtensionTooLong);
  EXPECT_EQ(scan({"5;" + std::string(256, 'x') + "\r\n"}).fault, ChunkFault::kNone);
  const std::string trailers = "0\r\nX: " + std::string(9000, 'x');
  EXPECT_EQ(scan({trailers}).fault, ChunkFault::kTrailersTooLong);
}

}  // namespace
}  // namespace bellows::http
