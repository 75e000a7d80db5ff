#!/usr/bin/env bash
# Run it: `bash example.sh`, with curl 7.66 or later.
API=http://127.0.0.1:3000/v1
KEY=pet_test_CAp2kuH0sPLIM3yysa0R5dBxxtxQA5rL0HYQDD

# A first request
curl -sSf -H "Authorization: Bearer $KEY" "$API/pets?limit=3"

# All pets that are available, page by page
QUERY="?status=available&limit=100"
while [ -n "$QUERY" ]; do
  curl -sSf --retry 5 -D headers.txt -H "Authorization: Bearer $KEY" "$API/pets$QUERY"
  QUERY=$(sed -n 's/^[Ll]ink: <[^>?]*\(?[^>]*\)>; rel="next".*/\1/p' headers.txt)
done

# A new pet, added once even if the request has to be sent again
curl -sSf --retry 5 -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \
  -H "Idempotency-Key: bella-$(date +%s)" -d '{"name":"Bella","categoryId":1}' "$API/pets"
