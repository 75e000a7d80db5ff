import type { APIGatewayProxyResult, APIGatewayProxyWithLambdaAuthorizerEvent } from 'aws-lambda'
import type { AuthorizerContext } from './authorizer-context.ts'

/** What API Gateway hands to an operation, once the authorizer has admitted the request. */
export type GatewayEvent = APIGatewayProxyWithLambdaAuthorizerEvent<AuthorizerContext>

export type GatewayResult = APIGatewayProxyResult
