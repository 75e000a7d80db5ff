import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { operatorCommands, runCommandInProcess } from '../fixtures/commands/commands.ts'
import { isAllowedToOperators, type Permission } from '../fixtures/commands/operator-policy.ts'
import { createTemporaryFolder } from '../fixtures/machine/temporary-folder.ts'
import { startRecorder } from './emulator/recorder.ts'
import {
  type DeployedEnvironment,
  emulatorUrl,
  isDeployed,
  openDeployedEnvironment,
  readStackOutput,
} from './environments.ts'

/** The guides of operators. */
const guide = ['README.md', 'RUNBOOK.md', 'commands/README.md']
  .map((file) => readFileSync(new URL(`../../infra/${file}`, import.meta.url), 'utf8'))
  .join('\n')

/**
 * Matches a command of the guides for an environment on AWS, from the name of its script to the end of the command: a
 * line feed, the end of code in Markdown, or a pipe, without the space before it.
 */
const guideCommand =
  /(?<=npm run (?:--silent )?)(?:audit|keys|pets|smoke) -- [^\n`|]*--env (?:staging|production)[^\n`|]*(?<! )/g

/** Ranks a command in the order of the run: those that revoke keys come last, because others need keys. */
const rankCommand = (command: string): number => {
  if (command.includes('revoke --all')) return 2
  return command.includes('revoke') ? 1 : 0
}

/** The commands of the guides, each once. */
const guideCommands = [...new Set(guide.match(guideCommand))].toSorted(
  (one, other) => rankCommand(one) - rankCommand(other),
)

/** Adds an API key that is banned, for the command `unban`. @returns the id of the key */
const addBannedKey = async ({ administration, keyTable, addPet }: DeployedEnvironment): Promise<string> => {
  // Each pet is added with a key of its own.
  const { keyId } = await addPet()
  await keyTable.change(await administration.find(keyId), { bannedUntil: Math.floor(Date.now() / 1_000) + 600 })
  return keyId
}

/** Writes a nightly file of one animal and the settings of its source. @returns the words for `pets sync` */
const writeNightlyFile = (): string => {
  const folder = createTemporaryFolder()
  const file = join(folder, 'animals.csv')
  const settings = join(folder, 'runbook.yaml')
  writeFileSync(file, 'ID,Name,Species,Status\nA-1,Milo,Cat,Available\n')
  writeFileSync(
    settings,
    [
      'columns: { number: ID, name: Name, category: Species, status: Status }',
      'categories: { Cat: 2 }',
      'statuses: { Available: available }',
    ].join('\n'),
  )
  return `${file} --source ${settings}`
}

interface Environments {
  readonly staging: DeployedEnvironment
  readonly production: DeployedEnvironment
  /** Address of a proxy that records the calls to AWS. */
  readonly recorderUrl: string
  /** Id of a pet of production. */
  readonly productionPetId: string
}

/** Replaces the placeholders in a command of the guides. @returns its words */
const fillPlaceholders = async (
  command: string,
  { production, productionPetId }: Environments,
): Promise<readonly string[]> => {
  const isKeyCommand = command.startsWith('keys ')
  const needsKey = / (?:KEY_)?ID\b/.test(command) || (isKeyCommand && command.includes(' - '))
  // A command without a placeholder for a key needs no key.
  const keyId = needsKey ? await addBannedKey(production) : ''
  return (
    command
      .replace(/\b(?:KEY_)?ID\b/, keyId)
      .replace('PLAN', 'pro')
      .replace(/[\w-]+\.jsonl/, (file) => join(tmpdir(), file))
      .replace('<name>-restored', production.tables.pets)
      // A shell writes the output to a file.
      .replace(/ > .*/, '')
      // In the guides another command provides ids on standard input, or the operator types the key.
      .replace(' - ', ` ${isKeyCommand ? keyId : productionPetId} `)
      .split(' ')
  )
}

describe.skipIf(!isDeployed)('the commands of the guides', () => {
  /** The commands that failed, each with its output. */
  const failures: string[] = []
  let permissions: readonly Permission[]
  let petId: string

  /** Runs a command of the guides. */
  const runCommand = async (command: string, environments: Environments): Promise<void> => {
    const { staging, production, recorderUrl } = environments
    // The second word is `--`.
    const [script = '', _dashes, ...args] = await fillPlaceholders(command, environments)
    const createCommand = operatorCommands[script]
    if (createCommand === undefined) throw new Error(`There is no command for "${command}".`)

    const { baseUrl } = args.includes('production') ? production : staging
    // deployment.test.ts runs the whole smoke test, which takes most of a minute.
    if (script === 'smoke') args.push('--base-url', baseUrl, '--match', 'HEAD is 405|a pet without a status')
    vi.stubEnv('AWS_ENDPOINT_URL', recorderUrl)
    const { exitCode, output, errors } = await runCommandInProcess(createCommand(), args)
    vi.unstubAllEnvs()
    if (exitCode !== 0) failures.push(`${command}: ${errors || output}`)
  }

  beforeAll(async () => {
    await using staging = await openDeployedEnvironment('staging')
    await using production = await openDeployedEnvironment('production')
    await using recorder = await startRecorder(emulatorUrl)
    permissions = recorder.permissions
    const pet = await staging.addPet()
    petId = pet.petId
    const { petId: productionPetId } = await production.addPet()

    // The guides show these commands only for the local environment.
    const localCommands = [
      'keys -- issue --env staging --plan free --scope read-write --owner runbook',
      `keys -- show ${pet.apiKey} --env staging`,
      `keys -- rotate ${await addBannedKey(production)} --env production --confirm production`,
      // The file that `pets restore` of the guide then reads.
      'pets -- export --env production --out damaged.jsonl',
      'pets -- add --name Milo --category 1 --env staging --why arrivals',
      `pets -- set ${petId} --env staging --status sold`,
      `pets -- sync ${writeNightlyFile()} --env staging --accept-changes`,
      'pets -- sources --env staging',
      'audit -- --source runbook --number A-1 --env staging',
      `pets -- remove ${petId} --env staging`,
    ]
    const environments = { staging, production, recorderUrl: recorder.endpoint, productionPetId }
    for (const command of [...localCommands, ...guideCommands]) {
      await runCommand(command, environments)
    }
  })

  it('the commands of the guides succeed', () => {
    // The expression that finds the commands has found some.
    expect(guideCommands.length).toBeGreaterThan(8)
    expect(failures).toEqual([])
  })

  it('the commands of the guides need no permission that the policy for operators lacks', () => {
    expect(permissions.filter((permission) => !isAllowedToOperators(permission))).toEqual([])
  })

  it('the audit has who made each change', async () => {
    const TableName = await readStackOutput('pet-adoption-staging-data', 'AuditTableName')

    const { Items = [] } = await DynamoDBDocumentClient.from(new DynamoDBClient({})).send(
      new ScanCommand({ TableName }),
    )

    const operator = { who: expect.stringMatching(/^arn:aws:/) }
    const records = Items.filter(({ target, why }) => target === `pet#${petId}` || why === 'arrivals')
    expect(records.toSorted((one, other) => (one['changeId'] < other['changeId'] ? -1 : 1))).toMatchObject([
      { ...operator, action: 'pets add', old: null },
      { ...operator, action: 'pets set', old: { status: 'available' }, new: { status: 'sold' } },
      { ...operator, action: 'pets remove', old: { status: 'sold' }, new: { removed: 'by hand' } },
    ])
  })
})
