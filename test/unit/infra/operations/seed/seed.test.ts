import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../../../infra/local/database/database.ts'
import { startDynalite } from '../../../../../infra/local/database/dynalite.ts'
import { writeEnvironmentFile } from '../../../../../infra/operations/target/environment-file.ts'
import { createFreshTables } from '../../../../fixtures/engines.ts'

const projectFolder = fileURLToPath(new URL('../../../../../', import.meta.url))
const dataFolder = mkdtempSync(join(tmpdir(), 'pet-adoption-seed-'))
let database: Database
const children = new Set<ChildProcess>()

/** The file of a local environment that runs in this process. */
beforeAll(async () => {
  database = await startDynalite(undefined)
  writeEnvironmentFile(dataFolder, {
    tables: await createFreshTables({ name: 'dynalite', endpoint: database.endpoint }),
    usagePlanIds: { free: '', pro: '', business: '', enterprise: '' },
    pid: process.pid,
    startedAt: new Date().toISOString(),
    port: 0,
    baseUrl: '',
    databaseEndpoint: database.endpoint,
  })
})

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await database.close()
  rmSync(dataFolder, { recursive: true })
})

interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

/** Runs the command to its end, on a machine that knows of no AWS account. */
const seed = async (
  words: readonly string[],
  onError?: (text: string, child: ChildProcess) => void,
): Promise<Ended> => {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: dataFolder,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_REGION: 'eu-west-1',
  }
  const child = spawn(process.execPath, ['infra/operations/seed/seed.ts', ...words], { cwd: projectFolder, env })
  children.add(child)
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    errors += chunk
    onError?.(errors, child)
  })
  await once(child, 'close')
  children.delete(child)
  return { code: child.exitCode, output, errors }
}

const local = ['--env', 'local', '--data', dataFolder]

describe('npm run seed', () => {
  it('shows how it goes on standard error, and prints its result for scripts', async () => {
    const { code, output, errors } = await seed([...local, '--count', '120', '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(output)).toMatchObject({
      environment: 'local',
      count: 120,
      found: 0,
      written: 120,
      isComplete: true,
    })
    expect(errors).toContain('100 %, 120 of 120 pets')
  })

  it('ends at Ctrl-C with 130, and says how many were written and how to resume', async () => {
    let isInterrupted = false
    const interrupted = await seed([...local, '--count', '100000', '--rate', '500'], (errors, child) => {
      // As npm and the terminal do, both at once.
      if (!isInterrupted && errors.includes('of 100,000 pets')) for (const _ of [1, 2]) child.kill('SIGINT')
      isInterrupted = true
    })
    expect(interrupted.code).toBe(130)
    expect(interrupted.output).toMatch(/^Interrupted: \d+ pets were written, 120 were there\. The same command resumes/)
  })

  it.each([
    [['--env', 'production', '--count', '5'], /^Callers of production .* add --confirm production\.\n/],
    [['--env', 'local', '--count', '5', '--data', '/nowhere'], /^No local environment runs/],
    [['--env', 'staging', '--count', '5'], /^No AWS credentials were found/],
  ])('says in a sentence what is wrong with %j, and exits with 1', async (words, message) => {
    const { code, output, errors } = await seed(words)
    expect(code).toBe(1)
    expect(errors).toMatch(message)
    expect(errors).not.toMatch(/^ +at .*:\d+/m)
    expect(output).toBe('')
  })
})
