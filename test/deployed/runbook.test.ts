import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { environmentNames } from '../../infra/environments.ts'
import policy from '../../infra/operations/operator-policy.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { type Permission, startRecorder } from './emulator/recorder.ts'
import { type Run, runNode } from './emulator/run.ts'
import { emulator, isDeployed, type Reached, reach } from './environments.ts'

const guide = readFileSync(new URL('../../infra/README.md', import.meta.url), 'utf8')

/** The commands of the guide that work on an environment on AWS, each once, with what follows the script's name. */
const commands = [
  ...new Set(
    [
      ...guide.matchAll(
        /npm run (?:--silent )?((?:keys|pets|seed|smoke) -- [^\n`|]*--env (?:staging|production)[^\n`|]*)/g,
      ),
    ].map(([, command = '']) => command.trim()),
  ),
].toSorted((one, other) => rank(one) - rank(other))

/** A key must be there to be shown or moved, and pets to be written to a file, before all are taken away. */
function rank(command: string): number {
  return ['revoke --all', 'revoke', ''].findIndex((part) => command.includes(part)) * -1
}

const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-runbook-'))

/** Whether a policy's text with asterisks is that of a call. */
const covers = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(text)

const isAllowed = ({ action, resource }: Permission): boolean =>
  policy.Statement.some(
    ({ Action, Resource }) =>
      [Action].flat().includes(action) &&
      environmentNames.some((name) => covers(Resource.replace('ENVIRONMENT', name), resource)),
  )

/** A key that is banned, as `unban` needs it. */
const bannedKey = async ({ administration, table }: Reached): Promise<string> => {
  const allowance = { perMinute: 60, perDay: 1_000 }
  const issued = await administration.issue({ owner: 'runbook', plan: 'free', allowance })
  await table.change(issued, { bannedUntil: Math.floor(Date.now() / 1_000) + 600 })
  return issued.record.keyId
}

describe.skipIf(!isDeployed)('the guide of operators', () => {
  it('has commands that work, and a policy that allows what they call and nothing else', async () => {
    await using staging = await reach('staging')
    await using production = await reach('production')
    await using recorder = await startRecorder(emulator().endpoint)
    const run = async (words: readonly string[], baseUrl: string): Promise<Run> => {
      const [script = '', , ...rest] = words
      const file =
        Object.entries(packageJson.scripts)
          .find(([name]) => name === script)?.[1]
          .split(' ')
          .slice(1) ?? []
      return runNode([...file, ...rest], { AWS_ENDPOINT_URL: recorder.endpoint, PET_API_URL: baseUrl })
    }
    const backup = join(folder, 'backup.jsonl')
    const id = await addPet(staging, 'runbook')
    // For the backup.
    await addPet(production, 'runbook')
    const arrivals = join(folder, 'arrivals.csv')
    writeFileSync(arrivals, 'name,categoryId,status\nMilo,1,available\n')
    const order = { owner: 'runbook', plan: 'free', allowance: { perMinute: 60, perDay: 1_000 } } as const
    const { apiKey } = await staging.administration.issue(order)
    // What the guide shows on the local environment.
    const before = [
      `keys -- issue --env staging --plan free --owner runbook`,
      `keys -- show ${apiKey} --env staging`,
      `keys -- rotate ${await bannedKey(production)} --env production --confirm production`,
      `pets -- export --env production --out ${backup}`,
      `pets -- import ${arrivals} --env staging`,
      `pets -- set ${id} --env staging --status sold`,
      `pets -- remove ${id} --env staging`,
    ]
    expect(commands.length).toBeGreaterThan(8)
    const failures: string[] = []
    for (const command of [...before, ...commands, 'seed -- --env staging --remove']) {
      const words = command
        .replace(/\bID\b/, command.includes(' ID ') ? await bannedKey(production) : '')
        .replace('PLAN', 'pro')
        .replace(' backup.jsonl', ` ${backup}`)
        .replace('100000', '100')
        .split(' ')
      // The whole suite has a test of its own, and takes most of a minute.
      const more = words[0] === 'smoke' ? ['--only', 'HEAD is no GET|a pet without a status'] : []
      const { baseUrl } = words.includes('production') ? production : staging
      const { exitCode, output, errors } = await run([...words, ...more], baseUrl)
      if (exitCode !== 0) failures.push(`${command}: ${errors || output}`)
    }

    expect(failures).toEqual([])
    expect(recorder.permissions.filter((permission) => !isAllowed(permission))).toEqual([])
    const used = new Set([...recorder.permissions.map(({ action }) => action)])
    expect(policy.Statement.flatMap(({ Action }) => Action).filter((action) => !used.has(action))).toEqual([])
  })
})

/** @returns the pet's id */
const addPet = async ({ administration, addPet }: Reached, owner: string): Promise<string> => {
  const allowance = { perMinute: 60, perDay: 1_000 }
  const { apiKey } = await administration.issue({ owner, plan: 'free', allowance })
  return (await addPet(apiKey)).replace('/pets/', '')
}
