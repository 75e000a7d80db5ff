import type { APIGatewayProxyEventBase, APIGatewayProxyResult } from 'aws-lambda'
import type { AuthorizerContext } from './authorizer-context.ts'

/**
 * Event that API Gateway sends to the function of an operation, after the authorizer has allowed the request.
 * `refuseWithoutContext` checks the authorizer's context before anything else reads it.
 */
export type GatewayEvent = APIGatewayProxyEventBase<AuthorizerContext>

export type GatewayResult = APIGatewayProxyResult
