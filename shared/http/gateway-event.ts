import type { APIGatewayProxyEventBase, APIGatewayProxyResult } from 'aws-lambda'
import type { AuthorizerContext } from './authorizer-context.ts'

/**
 * The event of an operation. API Gateway sends it after the authorizer has allowed the request. `refuseWithoutContext`
 * has checked its context before anything else reads it.
 */
export type GatewayEvent = APIGatewayProxyEventBase<AuthorizerContext>

export type GatewayResult = APIGatewayProxyResult
