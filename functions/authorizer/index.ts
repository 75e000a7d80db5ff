import { systemClock } from '../../shared/clock.ts'
import { documentClient } from '../../shared/dynamodb/document-client.ts'
import {
  environmentVariables as names,
  readApiKeyPrefix,
  readCount,
  readText,
} from '../../shared/environment-variables.ts'
import { RateLimiter } from '../../shared/rate-limit/rate-limiter.ts'
import { RequestCounter } from '../../shared/rate-limit/request-counter.ts'
import { authorizer } from './authorizer.ts'

const limiter = new RateLimiter(
  new RequestCounter(documentClient(), readText(names.apiKeysTable)),
  {
    refusalsBeforeBan: readCount(names.refusalsBeforeBan),
    firstBanSeconds: readCount(names.firstBanSeconds),
    longestBanSeconds: readCount(names.longestBanSeconds),
  },
  systemClock,
)

export const handler = authorizer(limiter, readApiKeyPrefix(), readText(names.reservedGatewayKey))
