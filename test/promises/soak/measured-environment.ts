import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KeyAdministration } from '../../../infra/operations/keys/administration.ts'
import { startEnvironment } from '../../fixtures/environment-process.ts'
import { findLocalKeys } from '../../fixtures/local-keys.ts'
import type { MemoryMessage } from './probe.ts'
import type { Figure } from './report.ts'
import type { Sample } from './trend.ts'

/** A local environment in a process of its own, whose figures are taken every five seconds once it is ready. */
export interface MeasuredEnvironment extends AsyncDisposable {
  readonly baseUrl: string
  readonly keys: KeyAdministration
  readonly samples: ReadonlyMap<Figure, readonly Sample[]>
  /** Lines that it wrote on standard error. */
  readonly complaints: () => readonly string[]
  /** @returns its exit code */
  stop(): Promise<number | null>
}

export const startMeasuredEnvironment = async (): Promise<MeasuredEnvironment> => {
  await using resources = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-soak-'))
  resources.defer(() => rmSync(folder, { recursive: true, force: true }))
  const [dataFolder, temporary] = [join(folder, 'data'), join(folder, 'tmp')]
  mkdirSync(temporary)
  const nodeOptions = ['--expose-gc', '--import', new URL('./probe.ts', import.meta.url).href]
  const environment = { ...process.env, TMPDIR: temporary }
  const samples = new Map<Figure, Sample[]>()
  let begun = Number.POSITIVE_INFINITY
  const note = (figure: Figure, value: number): void => {
    const list = samples.get(figure) ?? []
    samples.set(figure, list)
    list.push({ at: (performance.now() - begun) / 1_000, value })
  }
  const onMessage = (message: unknown): void => {
    if (performance.now() < begun) return
    // The probe sends nothing else.
    const { rss, mainHeap, threadHeaps } = message as MemoryMessage
    note('resident memory', rss)
    note('heap, main thread', mainHeap)
    note('heaps, threads', threadHeaps)
    note('temporary files', readdirSync(temporary, { recursive: true }).length)
    const handles = openHandles(server.child.pid)
    if (handles === undefined) return
    note('open files', handles.length)
    note('sockets', handles.filter((handle) => handle.startsWith('socket:')).length)
  }
  const server = resources.use(await startEnvironment({ dataFolder, nodeOptions, environment, onMessage }))
  const { baseUrl, errors, stop } = server
  const keys = await findLocalKeys(dataFolder)
  begun = performance.now()
  const complaints = () => errors().split('\n').filter(Boolean)
  const running = resources.move()
  return { baseUrl, keys, samples, complaints, stop, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** What each open file of a process is; `undefined` where the system has no /proc. */
const openHandles = (pid: number | undefined): readonly string[] | undefined => {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap((name) => {
      try {
        return [readlinkSync(join(folder, name))]
      } catch {
        // Closed meanwhile.
        return []
      }
    })
  } catch {
    return undefined
  }
}
