// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
export interface components {
    schemas: {
        /**
         * @description The availability of an animal.
         * @example available
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /** @description An animal to add. */
        NewPet: {
            name: components["schemas"]["PetName"];
            categoryId: components["schemas"]["CategoryId"];
            /**
             * @description The availability. Default is `available`.
             * @default available
             */
            status: components["schemas"]["PetStatus"];
        };
        /** @description An animal. */
        Pet: {
            /**
             * Format: int64
             * @description Assigned by the service. Later animals have higher ones. Exact in clients whose numbers are doubles.
             * @example 487912340012345
             */
            id: bigint;
            name: components["schemas"]["PetName"];
            categoryId: components["schemas"]["CategoryId"];
            status: components["schemas"]["PetStatus"];
        };
        /**
         * @description The animal's name, stored unchanged. At least one character is not white space.
         * @example Bella
         */
        PetName: string;
        /**
         * Format: int64
         * @description The identifier of the animal's category. The whole int64 range is stored exactly.
         * @example 1
         */
        CategoryId: bigint;
        /** @description Animals, the newest first. */
        Pets: components["schemas"]["Pet"][];
        /**
         * @description The kind of error, for programs.
         * @example pet_not_found
         * @enum {string}
         */
        ErrorCode: "bad_request" | "invalid_parameter" | "invalid_cursor" | "invalid_header" | "malformed_json" | "invalid_body" | "unauthorized" | "insufficient_scope" | "request_blocked" | "pet_not_found" | "route_not_found" | "operation_removed" | "method_not_allowed" | "idempotency_key_in_use" | "request_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "rate_limit_exceeded" | "api_key_banned" | "internal_error" | "not_implemented" | "service_unavailable" | "gateway_timeout";
        /** @description The body of every error response. */
        Error: {
            code: components["schemas"]["ErrorCode"];
            /**
             * @description What to change, for people.
             * @example There is no pet with this id.
             */
            message: string;
            /**
             * Format: int32
             * @description The HTTP status of the response.
             * @example 404
             */
            status: number;
        };
    };
    parameters: {
        /**
         * @description The maximum number of animals on one page.
         * @example 20
         */
        Limit: number;
        /**
         * @description Only animals with this availability. Default is any.
         * @example available
         */
        Status: components["schemas"]["PetStatus"];
        /**
         * @description Where the page begins, from the `Link` header of the previous page. Its format is not documented.
         * @example YmVmb3JlOjQ4NzkxMjMzOTk5MDExMg
         */
        Cursor: string;
        /**
         * @description The identifier of the animal. The response to a value that is no int64 is 404.
         * @example 487912339990112
         */
        PetId: bigint;
        /**
         * @description A unique string, such as a UUID, that you choose for this creation. For 24 hours the response to the same
         *     string and body is that of the first request, for your API key and its successors.
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
                 * @description The maximum number of animals on one page.
                 * @example 20
                 */
                limit?: components["parameters"]["Limit"];
                /**
                 * @description Only animals with this availability. Default is any.
                 * @example available
                 */
                status?: components["parameters"]["Status"];
                /**
                 * @description Where the page begins, from the `Link` header of the previous page. Its format is not documented.
                 * @example YmVmb3JlOjQ4NzkxMjMzOTk5MDExMg
                 */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A unique string, such as a UUID, that you choose for this creation. For 24 hours the response to the same
                 *     string and body is that of the first request, for your API key and its successors.
                 * @example 0b7e3c52-5a2e-4f0d-9d9f-2b0c9d1f7a11
                 */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON object of at most 16 KB (16,384 bytes). */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The identifier of the animal. The response to a value that is no int64 is 404.
                 * @example 487912339990112
                 */
                petId: components["parameters"]["PetId"];
            };
            cookie?: never;
        };
        requestBody?: never;
    };
    listStoreOrders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
    };
}
