import { inspect } from 'node:util'
import { followTable } from '../../functions/gateway-keys/follow-table.ts'
import { defaults, localStage } from '../../infra/environments.ts'
import { readEnvironmentTemplate } from '../../infra/local/template/environment-template.ts'
import { KeyTable } from '../../shared/api-keys/key-table.ts'
import { isRemoved } from '../../shared/pets/pet-store.ts'
import type { BanPolicy } from '../../shared/rate-limit/rate-limiter.ts'
import { gatewayKeysTimeoutSeconds } from '../../shared/timeouts.ts'
import { AuditRules } from './audit-rules.ts'
import { CommandRules } from './command-rules.ts'
import { runningProcess, SimulatedDatabase } from './database.ts'
import { createEdge } from './edge.ts'
import { Faults } from './faults.ts'
import { FollowerRules } from './follower-rules.ts'
import { loadFunctions } from './function-code.ts'
import { SimulatedGatewayKeys } from './gateway-keys.ts'
import { faultSubject, History } from './history.ts'
import { LambdaHost } from './instances.ts'
import { LimitRules } from './limit-rules.ts'
import { ListRules } from './list-rules.ts'
import { Metering } from './metering.ts'
import { Network } from './network.ts'
import type { FaultName } from './parts.ts'
import { PetRules } from './pet-rules.ts'
import { Random } from './random.ts'
import { ResponseRules } from './response-rules.ts'
import { findNextGatewayKeysRun, planSchedule } from './schedule.ts'
import { VirtualTime } from './virtual-time.ts'

export interface WorldOptions {
  readonly seed: number
  readonly minutes: number
  readonly faults: ReadonlySet<FaultName>
  /** Folder of the cloud assembly, from which the API and the tables are read. */
  readonly assembly: string
}

export type World = Awaited<ReturnType<typeof openWorld>>

/**
 * Opens the service in this process: the tables, the functions and the edge. From here on the clocks, the timers, the
 * random numbers, `fetch` and the log of this process are those of the simulation.
 */
export const openWorld = async (options: WorldOptions) => {
  const { seed, minutes, assembly } = options
  const random = new Random(seed)
  const schedule = planSchedule(minutes)
  const time = new VirtualTime(schedule.warmUp, schedule.start)
  const { restApi, tables, names } = readEnvironmentTemplate(assembly, localStage)

  const history = new History(time)
  const faults = new Faults({
    random: random.fork(),
    enabled: options.faults,
    isActive: () => time.now >= schedule.start && time.now < schedule.faultsEnd,
    onFault: (name) => {
      history.count('faults')
      history.note(faultSubject, name)
    },
  })
  const auditRules = new AuditRules(history)
  const commandRules = new CommandRules(history)
  const followerRules = new FollowerRules(time, history)
  const listRules = new ListRules(time, history)
  const database = new SimulatedDatabase({
    time,
    random: random.fork(),
    faults,
    tables,
    tableNames: names.tables,
    onPetStored: (item) => {
      followerRules.recordVersion(item)
      listRules.recordVersion(Number(item['id']), isRemoved(item))
    },
  })
  const lambda = new LambdaHost({
    time,
    random: random.fork(),
    faults,
    database,
    tables: names.tables,
    banPolicy: drawBanPolicy(random),
    code: await loadFunctions(),
  })
  // Creating tables takes real time, in which no virtual time may pass.
  await database.open()
  time.install(random.fork())
  // A killed command listens for signals until the simulation ends.
  process.setMaxListeners(0)
  // Commands would show their progress on the terminal.
  Object.defineProperty(process.stderr, 'isTTY', { value: false })
  // Functions log errors to the console. Here they become events of the history.
  Object.assign(console, { error: (...lines: unknown[]) => history.note('log', inspect(lines)) })

  const keyTable = new KeyTable(database.observe(), names.tables.apiKeys)
  const gatewayKeys = new SimulatedGatewayKeys(time, random.fork(), faults)
  const observer = new Metering(history, keyTable)
  const edge = createEdge({ restApi, functions: lambda, gatewayKeys, observer, time, faults })
  const limitRules = new LimitRules(time, history)
  const petRules = new PetRules(history, followerRules, database, names.tables.pets)
  const responseRules = new ResponseRules(history)
  const network = new Network({ time, random: random.fork(), faults, history, limitRules, responseRules, edge })
  Object.assign(globalThis, { fetch: network.fetch })

  return {
    random,
    schedule,
    time,
    faults,
    history,
    database,
    tables: names.tables,
    keyTable,
    gatewayKeys,
    limitRules,
    petRules,
    followerRules,
    listRules,
    auditRules,
    commandRules,
  }
}

/** The settings of staging, or a ban after few refusals, so that there are many bans. */
const drawBanPolicy = (random: Random): BanPolicy => {
  const { banPolicy } = defaults[localStage]
  const frequent = { refusalsBeforeBan: 5, firstBanSeconds: 60, longestBanSeconds: 120 }
  return random.pick([banPolicy, frequent])
}

/** Runs the function `gateway-keys` each quarter of an hour, until a time. */
export const scheduleGatewayKeys = async (world: World, end: number): Promise<void> => {
  const { time } = world
  while (time.now < end) {
    // A run takes at most ten minutes.
    const nextRun = findNextGatewayKeysRun(time.now)
    await runGatewayKeys(world)
    await time.pause(nextRun - time.now)
  }
}

const runGatewayKeys = async ({ time, database, tables, gatewayKeys, history }: World): Promise<void> => {
  const end = time.now + gatewayKeysTimeoutSeconds * 1_000
  const run = followTable({
    table: new KeyTable(database.connect(runningProcess), tables.apiKeys),
    gateway: gatewayKeys,
    clock: () => time.now,
    remainingMilliseconds: () => end - time.now,
    pause: time.pause,
  })
  // Faults make runs fail. The next run goes on.
  await run.catch((error) => history.note('gateway-keys', String(error)))
}

/** Runs `gateway-keys` twice, and compares the keys of API Gateway with those that the table asks for. */
export const checkGatewayKeys = async (world: World): Promise<void> => {
  const { keyTable, gatewayKeys, history } = world
  await runGatewayKeys(world)
  await runGatewayKeys(world)
  gatewayKeys.check(history, await keyTable.list())
}
