// Generated from shared/contract/openapi.yaml by `npm run generate`. Do not edit.
import type { ErrorObject } from 'ajv'
export declare const validate: { (request: unknown): boolean; errors?: ErrorObject[] | null }
