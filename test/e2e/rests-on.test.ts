import { beforeAll, describe, expect, inject, it } from 'vitest'
import { checkBehaviour } from '../../infra/operations/smoke/behaviour.ts'
import { visibleBehaviours } from '../../infra/operations/smoke/visible-behaviours.ts'
import { apiKey, baseUrl, call } from './api.ts'
import { issueKey } from './issue-key.ts'

/** On a deployed API `npm run smoke` checks them. */
describe.skipIf(inject('dataFolder') === null)('what the service needs of API Gateway', () => {
  let spentKey: string
  beforeAll(async () => {
    spentKey = (await issueKey('enterprise', { perMinute: 100, perDay: 1 })).apiKey
    await call('GET', '/pets', { key: spentKey })
  })

  it.each(visibleBehaviours)('$behaviour', async (behaviour) => {
    const finding = await checkBehaviour({ baseUrl, apiKey, spentKey }, behaviour)
    expect(finding).toMatchObject({ isAsExpected: true })
  })
})
