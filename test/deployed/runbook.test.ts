import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CloudWatchLogsClient, FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs'
import { expect, it } from 'vitest'
import { environmentNames } from '../../infra/environments.ts'
import policy from '../../infra/operations/operator-policy.json' with { type: 'json' }
import packageJson from '../../package.json' with { type: 'json' }
import { hashApiKey } from '../../shared/api-keys/api-key.ts'
import { type Permission, startRecorder } from './emulator/recorder.ts'
import { emulator, isDeployed, outputOf, type Reached, reach, runNode } from './environments.ts'

const guide = readFileSync(new URL('../../infra/README.md', import.meta.url), 'utf8')

/** The commands of the guide that work on an environment on AWS, each once, with what follows the script's name. */
const commands = new Set(
  guide.match(
    /(?<=npm run (?:--silent )?)(?:keys|pets|seed|smoke) -- [^\n`|]*--env (?:staging|production)[^\n`|]*(?<! )/g,
  ),
)

/** A key must be there to be shown or moved before all are taken away. */
const last = (command: string): number => ['revoke', 'revoke --all'].findLastIndex((part) => command.includes(part))

/** Whether a policy's text with asterisks is that of a call. */
const covers = (pattern: string, text: string): boolean =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(text)

const isAllowed = ({ action, resource }: Permission): boolean =>
  policy.Statement.some(
    ({ Action, Resource }) =>
      [Action].flat().includes(action) &&
      environmentNames.some((name) => covers(Resource.replace('ENVIRONMENT', name), resource)),
  )

/** The id of a key that is banned, as `unban` needs it. */
const bannedKey = async ({ administration, table, addPet }: Reached): Promise<string> => {
  const { apiKey, keyId } = await addPet()
  const stored = { keyHash: hashApiKey(apiKey), record: await administration.show(keyId) }
  await table.change(stored, { bannedUntil: Math.floor(Date.now() / 1_000) + 600 })
  return keyId
}

it.skipIf(!isDeployed)(
  'the guide has commands that work, a policy that allows what they call and nothing else, and an audit of what they changed',
  async () => {
    await using staging = await reach('staging')
    await using production = await reach('production')
    await using recorder = await startRecorder(emulator)
    const { apiKey, petId: id } = await staging.addPet()
    await production.addPet()
    const [arrivals, backup] = ['arrivals.csv', 'backup.jsonl'].map((name) => join(tmpdir(), name))
    writeFileSync(String(arrivals), 'name,categoryId,status\nMilo,1,available\n')
    // What the guide shows on the local environment.
    const before = [
      'keys -- issue --env staging --plan free --owner runbook',
      `keys -- show ${apiKey} --env staging`,
      `keys -- rotate ${await bannedKey(production)} --env production --confirm production`,
      `pets -- export --env production --out ${backup}`,
      `pets -- import ${arrivals} --env staging --why arrivals`,
      `pets -- set ${id} --env staging --status sold`,
      `pets -- remove ${id} --env staging`,
    ]
    expect(commands.size).toBeGreaterThan(8)
    const shown = [...commands].toSorted((one, other) => last(one) - last(other))
    const scripts: Readonly<Record<string, string>> = packageJson.scripts
    const failures: string[] = []
    for (const command of [...before, ...shown, 'seed -- --env staging --remove']) {
      const [script = '', , ...words] = command
        .replace(/\bID\b/, command.includes(' ID ') ? await bannedKey(production) : '')
        .replace('PLAN', 'pro')
        .replace(' backup.jsonl', ` ${backup}`)
        .replace('100000', '100')
        .split(' ')
      const [, ...file] = scripts[script]?.split(' ') ?? []
      // The whole suite has a test of its own, and takes most of a minute.
      const only = script === 'smoke' ? ['--only', 'HEAD /pets|a pet without a status'] : []
      const { baseUrl } = words.includes('production') ? production : staging
      const variables = { AWS_ENDPOINT_URL: recorder.endpoint, PET_API_URL: baseUrl }
      const { exitCode, output, errors } = await runNode([...file, ...words, ...only], variables)
      if (exitCode !== 0) failures.push(`${command}: ${errors || output}`)
    }

    expect(failures).toEqual([])
    expect(recorder.permissions.filter((permission) => !isAllowed(permission))).toEqual([])
    const used = new Set(recorder.permissions.map(({ action }) => action))
    expect(new Set(policy.Statement.flatMap(({ Action }) => Action))).toEqual(used)

    const logGroupName = await outputOf('pet-adoption-staging-data', 'AuditLogGroupName')
    const { events = [] } = await new CloudWatchLogsClient({}).send(new FilterLogEventsCommand({ logGroupName }))
    const changes = events.map(({ message = '' }) => JSON.parse(message))
    const who = { who: expect.stringMatching(/^arn:aws:/), environment: 'staging' }
    expect(changes.filter(({ ids, why }) => ids[0] === id || why === 'arrivals')).toMatchObject([
      { ...who, action: 'pets import', old: null },
      { ...who, action: 'pets set', old: { status: 'available' }, new: { status: 'sold' } },
      { ...who, action: 'pets remove', old: { status: 'sold' }, new: null },
    ])
  },
)
