import { systemClock } from '../../shared/clock.ts'
import { createDocumentClient } from '../../shared/dynamodb/document-client.ts'
import {
  environmentVariables as names,
  readApiKeyPrefix,
  readCountVariable,
  readTextVariable,
} from '../../shared/environment-variables.ts'
import { type BanPolicy, RateLimiter } from '../../shared/rate-limit/rate-limiter.ts'
import { RequestCounter } from '../../shared/rate-limit/request-counter.ts'
import { createAuthorizer } from './authorizer.ts'

const counter = new RequestCounter(createDocumentClient(), readTextVariable(names.apiKeysTable))

const bans: BanPolicy = {
  refusalsBeforeBan: readCountVariable(names.refusalsBeforeBan),
  firstBanSeconds: readCountVariable(names.firstBanSeconds),
  longestBanSeconds: readCountVariable(names.longestBanSeconds),
}

const limiter = new RateLimiter(counter, bans, systemClock)

export const handler = createAuthorizer(limiter, readApiKeyPrefix(), readTextVariable(names.unlimitedGatewayKey))
