import { inspect } from 'node:util'
import { defaults, localStage } from '../../infra/environments.ts'
import { readEnvironmentTemplate } from '../../infra/local/template/environment-template.ts'
import { KeyTable } from '../../shared/api-keys/key-table.ts'
import type { BanPolicy } from '../../shared/rate-limit/rate-limiter.ts'
import { AuditRules } from './audit-rules.ts'
import { SimulatedDatabase } from './database.ts'
import { createEdge } from './edge.ts'
import { Faults } from './faults.ts'
import { loadFunctions } from './function-code.ts'
import { SimulatedGatewayKeys } from './gateway-keys.ts'
import { faultSubject, History } from './history.ts'
import { LambdaHost } from './instances.ts'
import { LimitPromises } from './limit-promises.ts'
import { Network } from './network.ts'
import { PetRules } from './pet-rules.ts'
import { Random } from './random.ts'
import { VirtualTime } from './virtual-time.ts'

const minuteMilliseconds = 60_000

/** The time of the first request. */
const startOfTraffic = Date.UTC(2026, 10, 2, 11, 30)

/**
 * The time before the first request in which keys are issued and `gateway-keys` runs, so that usage plans meter
 * requests from the first one on: a run creates each gateway key, and an hour later requests are metered on it.
 */
const warmUpMilliseconds = 80 * minuteMilliseconds

/** The faults end so long before the end of a simulation that `gateway-keys` runs twice without them. */
const quietMilliseconds = 40 * minuteMilliseconds

/** Nobody adds an animal in the last minutes, so that followers get all. */
const closingMilliseconds = 10 * minuteMilliseconds

export interface WorldOptions {
  readonly seed: number
  /** Length of the simulation from the first request on. */
  readonly hours: number
  /** Folder of the cloud assembly, from which the API and the tables are read. */
  readonly assembly: string
}

/** The parts that all actors share. */
export type World = Awaited<ReturnType<typeof openWorld>>

/**
 * Opens the service in this process: the tables, the functions and the edge. From here on the clocks, the timers, the
 * random numbers, `fetch` and the log of this process are those of the simulation.
 */
export const openWorld = async ({ seed, hours, assembly }: WorldOptions) => {
  const random = new Random(seed)
  const end = startOfTraffic + hours * 60 * minuteMilliseconds
  const time = new VirtualTime(startOfTraffic - warmUpMilliseconds)
  const { restApi, tables, names } = readEnvironmentTemplate(assembly, localStage)

  const history = new History(time)
  const faults = new Faults({
    random: random.fork(),
    isActive: () => time.now >= startOfTraffic && time.now < end - quietMilliseconds,
    onFault: (name) => {
      history.count(`faults: ${name}`)
      history.note(faultSubject, name)
    },
  })
  const petRules = new PetRules(time, history)
  const limitPromises = new LimitPromises(time, history)
  const database = new SimulatedDatabase({
    time,
    random: random.fork(),
    faults,
    tables,
    tableNames: names.tables,
    onPetTabled: (item) => petRules.recordVersion(item),
  })
  const functions = new LambdaHost({
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
  const gatewayKeys = new SimulatedGatewayKeys({ time, random: random.fork(), faults, history, keyTable })
  const edge = createEdge({ restApi, functions, gatewayKeys })
  const network = new Network({ time, random: random.fork(), faults, history, limitPromises, edge })
  Object.assign(globalThis, { fetch: network.fetch })

  return {
    random,
    time,
    faults,
    history,
    database,
    tables: names.tables,
    gatewayKeys,
    limitPromises,
    petRules,
    auditRules: new AuditRules(history),
    startOfTraffic,
    end,
    /** Whether nobody adds animals or changes keys any more. */
    isClosing: () => time.now >= end - closingMilliseconds,
    /** Whether callers stop sending requests. */
    isOver: () => time.now >= end,
    /** Pauses an actor between two actions, at the longest until callers stop sending requests. */
    rest: (milliseconds: number) => time.pause(Math.min(milliseconds, end - time.now)),
  }
}

/** The settings of staging, or a ban after few refusals, so that there are many bans. */
const drawBanPolicy = (random: Random): BanPolicy => {
  const { banPolicy } = defaults[localStage]
  const frequent = { refusalsBeforeBan: 5, firstBanSeconds: 60, longestBanSeconds: 120 }
  return random.pick([banPolicy, frequent])
}
