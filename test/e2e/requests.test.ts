import { describe } from 'vitest'
import { requests } from '../requests/requests.ts'
import { itResponds } from './api.ts'

describe.each(Object.entries(requests))('%s', (_name, scenarios) => itResponds(scenarios))
