// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List animals
         * @description Lists animals, the newest first. If there are more, the response has a `Link` header with `rel="next"`. Send the
         *     next request to that URL, unchanged. Pages never repeat an animal, and never skip one because others are added
         *     meanwhile.
         *
         *     Lists lag behind by some seconds. A new animal appears in them some seconds after the response to its `POST`.
         *     After a change of status, an animal can be missing for some seconds, or have its old status. An animal added
         *     later usually has a higher `id`, but not always: it can appear below an animal that you have already seen.
         *
         *     To follow new animals, poll the list without `status`. On each poll read newest to oldest. Stop at an animal
         *     that you first saw more than a minute before your previous poll began.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description Adds one animal. The service assigns its `id`. With an `Idempotency-Key` you can retry safely: if a response is
         *     lost, send the request again with the same key, and the animal is added only once.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an animal
         * @deprecated
         * @description Returns one animal by its `id`. Deprecated, and removed on 5 December 2030. No other operation fetches an animal
         *     by its `id`: keep the animals that `GET /pets` returns.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/store/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List store orders (reserved)
         * @description Reserved. A request needs an API key, counts against its limits, and gets 501.
         */
        get: operations["listStoreOrders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description Whether the animal can be adopted.
         * @example available
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /** @description An animal to add. */
        NewPet: {
            name: components["schemas"]["PetName"];
            categoryId: components["schemas"]["CategoryId"];
            /**
             * @description Whether the animal can be adopted. The default is `available`.
             * @default available
             * @example available
             * @enum {string}
             */
            status?: "available" | "pending" | "sold";
        };
        /** @description An animal. */
        Pet: {
            /**
             * Format: int64
             * @description Assigned by the service. An animal added later usually has a higher `id`. JavaScript numbers hold every `id`
             *     exactly.
             * @example 487912340012345
             */
            id: number;
            name: components["schemas"]["PetName"];
            categoryId: components["schemas"]["CategoryId"];
            status: components["schemas"]["PetStatus"];
        };
        /**
         * @description The animal's name, stored unchanged. At least one character is not white space. White space of all of Unicode
         *     counts, such as a no-break space.
         * @example Bella
         */
        PetName: string;
        /**
         * Format: int64
         * @description The shelter's own category number. It is stored exactly, and the service does not interpret it.
         * @example 1
         */
        CategoryId: number | bigint;
        /** @description Animals, the newest first. */
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
        Error: {
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
            status: number;
        };
    };
    responses: {
        /** @description A query parameter is unknown, repeated or out of its range. */
        InvalidParameters: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request could not be understood, or a query parameter is unknown. */
        InvalidRequest: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A field of the body is missing or invalid, or a header or a query parameter is invalid. */
        InvalidCreation: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key is missing or invalid. */
        Unauthorized: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key may only read, or a firewall in front of the API refused the request. */
        Forbidden: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A firewall in front of the API refused the request. */
        Blocked: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The path names no operation. */
        RouteNotFound: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The path exists, but not with this method. */
        MethodNotAllowed: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The body is longer than 16 KB (16,384 bytes). An operation that takes no body ignores a body that API Gateway
         *     (at most 10 MB) and AWS Lambda (at most 6 MB, escapes included) accept. If API Gateway refuses the body, its
         *     response may have neither this body nor these headers.
         */
        RequestTooLarge: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The `Content-Type` of the body is not JSON. */
        UnsupportedMediaType: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The `Idempotency-Key` was used before with another body. */
        IdempotencyKeyReused: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A limit of the API key is used up, or the API key is temporarily banned. */
        TooManyRequests: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service failed. A later retry may succeed. */
        InternalError: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The operation is reserved. */
        NotImplemented: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service is temporarily unavailable. */
        ServiceUnavailable: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service took too long to respond. */
        GatewayTimeout: {
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description Maximum number of animals on one page.
         * @example 20
         */
        Limit: number;
        /**
         * @description Lists only animals with this status. If omitted, lists animals with any status.
         * @example available
         */
        Status: components["schemas"]["PetStatus"];
        /**
         * @description Start of the page. Take it from the `Link` header of the previous page, and never construct one: its format can
         *     change.
         * @example YmVmb3JlOjQ4NzkxMjMzOTk5MDExMg
         */
        Cursor: string;
        /**
         * @description `id` of the animal. A value that is not an int64 gets 404.
         * @example 487912339990112
         */
        PetId: number | bigint;
        /**
         * @description A unique string that you choose for this animal, such as a UUID. For 24 hours, all requests with the same string
         *     and the same body add one animal and get the same response, even if you do not wait for the first response. This
         *     also holds if your API key is rotated in the meantime.
         * @example 0b7e3c52-5a2e-4f0d-9d9f-2b0c9d1f7a11
         */
        IdempotencyKey: string;
    };
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /**
                 * @description Maximum number of animals on one page.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description Lists only animals with this status. If omitted, lists animals with any status.
                 * @example available
                 */
                status?: components["parameters"]["Status"];
                /**
                 * @description Start of the page. Take it from the `Link` header of the previous page, and never construct one: its format can
                 *     change.
                 * @example YmVmb3JlOjQ4NzkxMjMzOTk5MDExMg
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of animals, or an empty array. */
            200: {
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
            400: components["responses"]["InvalidParameters"];
            /** @description The API key is missing or invalid. */
            401: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A firewall in front of the API refused the request. */
            403: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is longer than 16 KB (16,384 bytes). An operation that takes no body ignores a body that API Gateway
             *     (at most 10 MB) and AWS Lambda (at most 6 MB, escapes included) accept. If API Gateway refuses the body, its
             *     response may have neither this body nor these headers.
             */
            413: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A limit of the API key is used up, or the API key is temporarily banned. */
            429: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed. A later retry may succeed. */
            500: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is temporarily unavailable. */
            503: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service took too long to respond. */
            504: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique string that you choose for this animal, such as a UUID. For 24 hours, all requests with the same string
                 *     and the same body add one animal and get the same response, even if you do not wait for the first response. This
                 *     also holds if your API key is rotated in the meantime.
                 * @example 0b7e3c52-5a2e-4f0d-9d9f-2b0c9d1f7a11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /**
         * @description A JSON object of at most 16 KB (16,384 bytes). The names of its fields contain no escapes. Its strings are
         *     well-formed Unicode: an escape such as `\ud83d` comes with the other half of its surrogate pair.
         */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The animal was added by this request, or by an earlier one with the same `Idempotency-Key`. */
            201: {
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["InvalidCreation"];
            /** @description The API key is missing or invalid. */
            401: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            403: components["responses"]["Forbidden"];
            /**
             * @description The body is longer than 16 KB (16,384 bytes). An operation that takes no body ignores a body that API Gateway
             *     (at most 10 MB) and AWS Lambda (at most 6 MB, escapes included) accept. If API Gateway refuses the body, its
             *     response may have neither this body nor these headers.
             */
            413: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["IdempotencyKeyReused"];
            /** @description A limit of the API key is used up, or the API key is temporarily banned. */
            429: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed. A later retry may succeed. */
            500: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is temporarily unavailable. */
            503: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service took too long to respond. */
            504: {
                content: {
                    "application/json": components["schemas"]["Error"];
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
                 * @description `id` of the animal. A value that is not an int64 gets 404.
                 * @example 487912339990112
                 */
                petId: components["parameters"]["PetId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal. */
            200: {
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description The request could not be understood, or a query parameter is unknown. */
            400: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The API key is missing or invalid. */
            401: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A firewall in front of the API refused the request. */
            403: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description No animal has this `id`, or the operation has been removed. */
            404: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is longer than 16 KB (16,384 bytes). An operation that takes no body ignores a body that API Gateway
             *     (at most 10 MB) and AWS Lambda (at most 6 MB, escapes included) accept. If API Gateway refuses the body, its
             *     response may have neither this body nor these headers.
             */
            413: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A limit of the API key is used up, or the API key is temporarily banned. */
            429: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed. A later retry may succeed. */
            500: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service is temporarily unavailable. */
            503: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service took too long to respond. */
            504: {
                content: {
                    "application/json": components["schemas"]["Error"];
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
        responses: {
            /** @description The request could not be understood, or a query parameter is unknown. */
            400: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The API key is missing or invalid. */
            401: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A firewall in front of the API refused the request. */
            403: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /**
             * @description The body is longer than 16 KB (16,384 bytes). An operation that takes no body ignores a body that API Gateway
             *     (at most 10 MB) and AWS Lambda (at most 6 MB, escapes included) accept. If API Gateway refuses the body, its
             *     response may have neither this body nor these headers.
             */
            413: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description A limit of the API key is used up, or the API key is temporarily banned. */
            429: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service failed. A later retry may succeed. */
            500: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            501: components["responses"]["NotImplemented"];
            /** @description The service is temporarily unavailable. */
            503: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            /** @description The service took too long to respond. */
            504: {
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
        };
    };
}
