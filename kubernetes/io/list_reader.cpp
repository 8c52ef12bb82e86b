#include "kubernetes/io/list_reader.hpp"

#include <string>
#include <utility>

#include "base/query.hpp"

namespace bellows::kubernetes {

http::Awaitable<Result<void>> list_all(ApiClient& client, ApiRequest request,
                                       const FieldSet& fields, ItemReader::OnItem on_item,
                                       ItemReader::OnRejected on_rejected) {
  const std::string query = request.query;
  for (;;) {
    ApiRequest page = request;
    BELLOWS_CO_TRY(const std::string body, co_await client.call(std::move(page)));
    ItemReader reader(fields, on_item, on_rejected);
    BELLOWS_CO_CHECKED(reader.feed(body));
    BELLOWS_CO_TRY(const ListMetadata list, reader.finish());
    if (query.empty() || list.continue_token.empty()) co_return Result<void>();
    request.query = query + "&continue=" + percent_encoded(list.continue_token);
  }
}

}  // namespace bellows::kubernetes
