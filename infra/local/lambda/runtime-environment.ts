import { devNull } from 'node:os'
import { localCredentials, localRegion } from '../../operations/target/local-database.ts'
import type { LambdaFunction } from '../template/environment-template.ts'

/**
 * All environment variables of a function: those of its template, those that the Lambda runtime
 * sets ("Defined runtime environment variables" in the AWS Lambda Developer Guide), and what points
 * the AWS SDK at the local database. Nothing of this machine's own environment is in it.
 */
export const runtimeEnvironment = (
  lambda: LambdaFunction,
  databaseEndpoint: string,
): Readonly<Record<string, string>> => ({
  ...lambda.environment,
  _HANDLER: lambda.handler,
  AWS_ACCESS_KEY_ID: localCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: localCredentials.secretAccessKey,
  AWS_SESSION_TOKEN: 'local',
  AWS_REGION: localRegion,
  AWS_DEFAULT_REGION: localRegion,
  AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x',
  AWS_LAMBDA_FUNCTION_NAME: lambda.name,
  AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(lambda.memoryMegabytes),
  AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
  AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
  AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${lambda.name}`,
  AWS_LAMBDA_LOG_STREAM_NAME: 'local',
  LAMBDA_TASK_ROOT: lambda.folder,
  TZ: ':UTC',
  AWS_ENDPOINT_URL_DYNAMODB: databaseEndpoint,
  // Otherwise the AWS SDK would read the profiles of the user.
  AWS_CONFIG_FILE: devNull,
  AWS_SHARED_CREDENTIALS_FILE: devNull,
})
