import { type ApiKeyPrefix, isApiKeyPrefix } from './api-keys/api-key.ts'
import { type Plan, planNames } from './api-keys/plans.ts'

/**
 * Names of the environment variables of the functions. The stacks set the variables and the functions read them, both
 * by these names, so neither can misspell one.
 */
export const environmentVariables = {
  petsTable: 'PETS_TABLE',
  apiKeysTable: 'API_KEYS_TABLE',
  idempotencyTable: 'IDEMPOTENCY_TABLE',
  /** `pet_live_` or `pet_test_`: the only prefix that the authorizer accepts. */
  apiKeyPrefix: 'API_KEY_PREFIX',
  /** The value of the unlimited gateway key, the API Gateway key of a usage plan without limits. */
  unlimitedGatewayKey: 'UNLIMITED_GATEWAY_KEY',
  refusalsBeforeBan: 'REFUSALS_BEFORE_BAN',
  firstBanSeconds: 'FIRST_BAN_SECONDS',
  longestBanSeconds: 'LONGEST_BAN_SECONDS',
  /** `staging` or `production`. */
  environment: 'ENVIRONMENT',
  /** JSON: the id of each plan's usage plan. */
  usagePlanIds: 'USAGE_PLAN_IDS',
} as const

export type EnvironmentVariable = (typeof environmentVariables)[keyof typeof environmentVariables]

/**
 * Reads a variable as text.
 *
 * @throws Error that names the variable, when the stack did not set it
 */
export const readTextVariable = (name: EnvironmentVariable): string => {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`The environment variable ${name} is not set.`)
  return value
}

/**
 * Reads a variable as a whole number above zero.
 *
 * @throws Error that names the variable, when its value is no such number
 */
export const readCountVariable = (name: EnvironmentVariable): number => {
  const value = Number(readTextVariable(name))
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new Error(`The environment variable ${name} must be a whole number above zero.`)
  }
  return value
}

/**
 * Reads the prefix of the environment's API keys.
 *
 * @throws Error when it is not one of the two prefixes
 */
export const readApiKeyPrefix = (): ApiKeyPrefix => {
  const value = readTextVariable(environmentVariables.apiKeyPrefix)
  if (!isApiKeyPrefix(value)) throw new Error(`${environmentVariables.apiKeyPrefix} must be pet_live_ or pet_test_.`)
  return value
}

/**
 * Reads the id of each plan's usage plan.
 *
 * @throws Error when the id of a usage plan is missing
 */
export const readUsagePlanIds = (): Readonly<Record<Plan, string>> => {
  const ids: unknown = JSON.parse(readTextVariable(environmentVariables.usagePlanIds))
  if (!isUsagePlanIds(ids)) throw new Error(`${environmentVariables.usagePlanIds} must have an id for each plan.`)
  return ids
}

const isUsagePlanIds = (ids: unknown): ids is Readonly<Record<Plan, string>> =>
  typeof ids === 'object' && ids !== null && planNames.every((plan) => typeof Reflect.get(ids, plan) === 'string')
