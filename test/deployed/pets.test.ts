import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedPlans } from '../../shared/api-keys/plans.ts'
import { runNode } from './emulator/run.ts'
import { isDeployed, type Reached, reach } from './environments.ts'

describe.skipIf(!isDeployed)('npm run pets on AWS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-pets-'))
  let staging: Reached
  let list: () => Promise<string>
  beforeAll(async () => {
    staging = await reach('staging')
    const order = { owner: 'pets', plan: 'business', allowance: fixedPlans.business } as const
    const { apiKey } = await staging.administration.issue(order)
    const headers = { Authorization: `Bearer ${apiKey}` }
    list = async () => (await fetch(`${staging.baseUrl}/pets?limit=100`, { headers })).text()
  })
  afterAll(async () => {
    await staging[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  const pets = async (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
    const { exitCode, output, errors } = await runNode([
      'infra/operations/pets/pets.ts',
      ...words,
      '--env',
      'staging',
      '--json',
    ])
    expect({ exitCode, errors }).toMatchObject({ exitCode: 0 })
    return JSON.parse(output)
  }

  it('imports, changes, removes and restores, so that the API responds as before, and records it', async () => {
    const [arrivals, backup] = [join(folder, 'arrivals.csv'), join(folder, 'backup.csv')]
    const rows = Array.from({ length: 30 }, (_, row) => `Emulated ${row},${9_223_372_036_854_775_000n + BigInt(row)}`)
    writeFileSync(arrivals, ['name,categoryId', ...rows].join('\n'))
    expect(await pets('import', arrivals, '--why', 'arrivals')).toMatchObject({ created: 30 })
    const before = await list()
    expect(before).toContain('"Emulated 29","categoryId":9223372036854775029,')
    await pets('export', '--out', backup)
    const [one = '', two = ''] = readFileSync(backup, 'utf8').match(/^\d+/gm)?.slice(1) ?? []
    await pets('set', one, '--status', 'sold')
    await pets('remove', two)
    expect(await list()).not.toBe(before)
    expect(await pets('import', backup, '--restore', '--overwrite')).toMatchObject({
      created: 0,
      changed: 1,
      restored: 1,
    })
    expect(await list()).toBe(before)

    const logGroupName = staging.environment.auditLogGroup
    const { events = [] } = await new CloudWatchLogsClient({}).send(new FilterLogEventsCommand({ logGroupName }))
    const changes = events.map(({ message = '' }) => JSON.parse(message))
    const who = { who: expect.stringMatching(/^arn:aws:/), environment: 'staging' }
    expect(changes.filter(({ why }) => why === 'arrivals')).toHaveLength(30)
    expect(changes.filter(({ ids }) => ids[0] === one)).toMatchObject([
      { ...who, action: 'pets import', old: null, why: 'arrivals' },
      { ...who, action: 'pets set', old: { status: 'available' }, new: { status: 'sold' } },
      { ...who, action: 'pets import', old: { status: 'sold' }, new: { status: 'available' } },
    ])
  })
})
