// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
export interface components {
    schemas: {
        /**
         * @description Whether the pet can be adopted.
         * @example available
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /** @description A pet to add. If `status` is left out, it is `available`. */
        PetInput: {
            /**
             * @description The pet's name, stored unchanged. At least one character is not white space, as `\s` of JavaScript
             *     understands it: a no-break space is white space, and the control characters U+001C and U+0085 are not. No
             *     character is U+0000, which many databases refuse, or U+FFFD, which stands for bytes that are not UTF-8.
             * @example Bella
             */
            name: string;
            categoryId: components["schemas"]["CategoryId"];
            status?: components["schemas"]["PetStatus"];
        };
        /** @description A pet. */
        Pet: {
            /**
             * Format: int64
             * @description Assigned by the service. A pet added later usually has a higher `id`. JavaScript numbers hold every `id`
             *     exactly.
             * @example 150739
             */
            id: bigint;
            /**
             * @description The pet's name.
             * @example Bella
             */
            name: string;
            categoryId: components["schemas"]["CategoryId"];
            status: components["schemas"]["PetStatus"];
        };
        /**
         * Format: int64
         * @description The shelter's own category number. It is stored exactly, and the service does not interpret it. Numbers of
         *     JavaScript are exact up to 9007199254740991 (2^53 - 1): beyond that `JSON.parse` and `response.json()` round it.
         *     Read and write it there with a parser that keeps all digits.
         * @example 1
         */
        CategoryId: bigint;
        /** @description Pets, the newest first. */
        Pets: components["schemas"]["Pet"][];
        /**
         * @description Kind of error, for programs. The examples are all codes of this version. Later versions can have more, so this
         *     is no enumeration: treat an error whose code you do not know by its `status`.
         * @example bad_request
         * @example invalid_parameter
         * @example invalid_cursor
         * @example invalid_header
         * @example malformed_json
         * @example invalid_body
         * @example unauthorized
         * @example insufficient_scope
         * @example request_blocked
         * @example pet_not_found
         * @example route_not_found
         * @example operation_removed
         * @example method_not_allowed
         * @example request_too_large
         * @example unsupported_media_type
         * @example idempotency_key_reused
         * @example rate_limit_exceeded
         * @example api_key_banned
         * @example internal_error
         * @example not_implemented
         * @example service_unavailable
         * @example gateway_timeout
         */
        ErrorCode: string;
        /** @description The body of every error response. */
        ErrorBody: {
            code: components["schemas"]["ErrorCode"];
            /**
             * @description For people. Says what to change in the request.
             * @example There is no pet with this id.
             */
            message: string;
            /**
             * Format: int32
             * @description HTTP status of the response.
             * @example 404
             */
            status: bigint;
        };
    };
    parameters: {
        /**
         * @description Maximum number of pets on one page.
         * @example 20
         */
        Limit: bigint;
        /**
         * @description Lists only pets with this status. If omitted, lists pets with any status.
         * @example available
         */
        Status: components["schemas"]["PetStatus"];
        /**
         * @description Start of the page. Take it from the `Link` header of the previous page, and never construct one: its format can
         *     change.
         * @example YmVmb3JlOjE0NDcwMQ
         */
        Cursor: string;
        /**
         * @description `id` of the pet. A value that is not an int64 gets 404.
         * @example 144701
         */
        PetId: bigint;
        /**
         * @description A unique string of printable ASCII that you choose for this pet, such as a UUID. For 24 hours, all requests
         *     with the same string and the same body add one pet and get the same response, even if you do not wait for the
         *     first response. This also holds if your API key is rotated in the meantime.
         * @example 0b7e3c52-5a2e-4f0d-9d9f-2b0c9d1f7a11
         */
        IdempotencyKey: string;
    };
}
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of pets on one page.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description Lists only pets with this status. If omitted, lists pets with any status.
                 * @example available
                 */
                status?: components["parameters"]["Status"];
                /**
                 * @description Start of the page. Take it from the `Link` header of the previous page, and never construct one: its format can
                 *     change.
                 * @example YmVmb3JlOjE0NDcwMQ
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of pets, or an empty array. */
            200: {
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique string of printable ASCII that you choose for this pet, such as a UUID. For 24 hours, all requests
                 *     with the same string and the same body add one pet and get the same response, even if you do not wait for the
                 *     first response. This also holds if your API key is rotated in the meantime.
                 * @example 0b7e3c52-5a2e-4f0d-9d9f-2b0c9d1f7a11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * @description A JSON object of at most 16 KB (16,384 bytes). Its strings are well-formed Unicode: an escape such as `\ud83d`
         *     comes with the other half of its surrogate pair. Write the names of fields without escapes: others may get
         *     400. If a field is sent twice, its last value counts.
         */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PetInput"];
            };
        };
        responses: {
            /** @description The pet was added by this request, or by an earlier one with the same `Idempotency-Key`. */
            201: {
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description `id` of the pet. A value that is not an int64 gets 404.
                 * @example 144701
                 */
                petId: components["parameters"]["PetId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pet. */
            200: {
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
        };
    };
    listStoreOrders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {};
    };
}
