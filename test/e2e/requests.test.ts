import { describe } from 'vitest'
import { requests } from '../requests/requests.ts'
import { restsOn } from '../requests/rests-on.ts'
import { itResponds } from './api.ts'

describe.each(Object.entries(requests))('%s', (_name, scenarios) => itResponds(scenarios))

describe('what the service needs of API Gateway', () => itResponds(restsOn))
