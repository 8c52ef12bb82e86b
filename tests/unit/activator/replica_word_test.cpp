#include "activator/core/replica_word.hpp"

#include <gtest/gtest.h>

#include <string>

namespace bellows::activator {
namespace {

ReplicaWord said(const std::string& lines) {
  const std::string text = "HTTP/1.1 200 OK\r\n" + lines + "\r\n";
  http::HeadParser parser;
  http::ResponseHead head;
  EXPECT_TRUE(parser.read(text, head).is_complete());
  return replica_word(head.fields);
}

TEST(ReplicaWord, TellsItsLoadAndTheWait) {
  const ReplicaWord word = said("X-Bellows-In-Flight: 12\r\nx-bellows-queue-ms: 340\r\n");
  EXPECT_EQ(word.in_flight, 12);
  EXPECT_EQ(word.queue_ms, 340);
}

TEST(ReplicaWord, OfAnswersWithoutThemIsNothing) {
  EXPECT_EQ(said("Content-Length: 0\r\n").in_flight, std::nullopt);
  EXPECT_EQ(said("X-Bellows-Reason: reset\r\n").queue_ms, 0);
}

TEST(ReplicaWord, ThatIsNoNumberIsNotBelieved) {
  for (const char* text : {"", "-1", "many", "1x", "99999999999999999999", "1.5"}) {
    EXPECT_EQ(said(std::string("X-Bellows-In-Flight: ") + text + "\r\n").in_flight, std::nullopt)
        << text;
  }
}

}  // namespace
}  // namespace bellows::activator
