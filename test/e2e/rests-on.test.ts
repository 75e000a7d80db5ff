import { describe } from 'vitest'
import { restsOn } from '../requests/rests-on.ts'
import { itResponds } from './api.ts'

describe('what the service needs of API Gateway', () => itResponds(restsOn))
