import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { writeEnvironmentFile } from '../../../../../infra/operations/target/environment-file.ts'
import { createFreshTables } from '../../../../fixtures/engines.ts'
import { startNode } from '../../../../fixtures/node-process.ts'

const dataFolder = mkdtempSync(join(tmpdir(), 'pet-adoption-seed-'))
afterAll(() => rmSync(dataFolder, { recursive: true }))

const [dynalite] = inject('engines')
const engine = { name: 'dynalite', endpoint: dynalite?.endpoint ?? '' }

/** The file of a local environment that runs in this process. */
beforeAll(async () =>
  writeEnvironmentFile(dataFolder, {
    ...{ tables: await createFreshTables(engine), usagePlanIds: { free: '', pro: '', business: '', enterprise: '' } },
    ...{ pid: process.pid, port: 0, baseUrl: '' },
    databaseEndpoint: engine.endpoint,
  }),
)

const seed = (...words: readonly string[]) => startNode(['infra/operations/seed/seed.ts', ...local, ...words])

const local = ['--env', 'local', '--data', dataFolder]

describe('npm run seed', () => {
  it('shows its progress on standard error, and prints its result for scripts', async () => {
    const { ended, output, errors } = seed('--count', '120', '--json')
    expect(await ended).toBe(0)
    expect(JSON.parse(output())).toMatchObject({
      environment: 'local',
      count: 120,
      found: 0,
      written: 120,
      isComplete: true,
    })
    expect(errors()).toContain('100 %, 120 of 120 pets')
  })

  it('ends at Ctrl-C with 130, and says how many were written and how to resume', async () => {
    const { child, ended, output, errors } = seed('--count', '10000000')
    await expect.poll(errors).toContain('of 10,000,000 pets')
    // As npm and the terminal do, both at once.
    for (const _ of [1, 2]) child.kill('SIGINT')
    expect(await ended).toBe(130)
    expect(output()).toMatch(/^Interrupted: [\d,]+ pets were written, 120 were there\. The same command resumes/)
  })

  it('says how many there are where that is more, and removes them', async () => {
    const more = seed('--count', '20')
    await more.ended
    expect(more.output()).toMatch(
      /^The environment local has [\d,]+ made-up pets: 0 pets were written, [\d,]+ were there\. That is more than 20; --remove removes them all\.\n$/,
    )
    const removal = seed('--remove')
    await removal.ended
    expect(removal.output()).toMatch(/^The environment local has 0 made-up pets: [\d,]+ pets were removed\.\n$/)
  })
})
