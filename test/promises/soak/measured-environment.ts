import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { KeyAdministration } from '../../../infra/operations/keys/administration.ts'
import { findLocalKeys } from '../../../infra/operations/keys/local-keys.ts'
import type { MemoryMessage } from './probe.ts'
import type { Sample } from './trend.ts'

/** What must not grow; files and sockets only where the system shows them, which is on Linux. */
export type Figure =
  | 'resident memory'
  | 'heap, main thread'
  | 'heaps, threads'
  | 'open files'
  | 'sockets'
  | 'temporary files'

/** A local environment in a process of its own, whose figures are taken every five seconds once it is ready. */
export interface MeasuredEnvironment extends AsyncDisposable {
  readonly baseUrl: string
  readonly keys: KeyAdministration
  readonly samples: ReadonlyMap<Figure, readonly Sample[]>
  /** Lines that it wrote on standard error. */
  readonly complaints: readonly string[]
  /** @returns its exit code */
  stop(): Promise<number | null>
}

export const startMeasuredEnvironment = async (): Promise<MeasuredEnvironment> => {
  const folder = mkdtempSync(join(tmpdir(), 'pet-adoption-soak-'))
  const [dataFolder, temporary] = [join(folder, 'data'), join(folder, 'tmp')]
  mkdirSync(temporary)
  const preload = ['--expose-gc', '--import', new URL('./probe.ts', import.meta.url).href]
  const server = spawn(process.execPath, [...preload, 'infra/local/start.ts', '--port', '0', '--data', dataFolder], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, TMPDIR: temporary },
  })
  const { stdout, stderr } = server
  if (stdout === null || stderr === null) throw new Error('A child process with pipes has streams.')
  const ended = once(server, 'close')
  const complaints: string[] = []
  createInterface(stderr).on('line', (line) => complaints.push(line))
  const samples = new Map<Figure, Sample[]>()
  let begun = Number.POSITIVE_INFINITY
  const note = (figure: Figure, value: number): void => {
    const list = samples.get(figure) ?? []
    samples.set(figure, list)
    list.push({ at: (performance.now() - begun) / 1_000, value })
  }
  // The probe sends nothing else.
  server.on('message', ({ rss, mainHeap, threadHeaps }: MemoryMessage) => {
    if (performance.now() < begun) return
    note('resident memory', rss)
    note('heap, main thread', mainHeap)
    note('heaps, threads', threadHeaps)
    note('temporary files', readdirSync(temporary, { recursive: true }).length)
    const handles = openHandles(server.pid)
    if (handles === undefined) return
    note('open files', handles.length)
    note('sockets', handles.filter((handle) => handle.startsWith('socket:')).length)
  })
  const stop = async (): Promise<number | null> => {
    if (server.exitCode === null && server.signalCode === null) server.kill('SIGTERM')
    await ended
    return server.exitCode
  }
  const dispose = async (): Promise<void> => {
    await stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const baseUrl = await announcedUrl(stdout)
    const keys = await findLocalKeys(dataFolder)
    begun = performance.now()
    return { baseUrl, keys, samples, complaints, stop, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

const announcedUrl = async (output: NodeJS.ReadableStream): Promise<string> => {
  let url: string | undefined
  for await (const line of createInterface(output)) {
    url ??= /^ {2}(http:\S+)$/.exec(line)?.[1]
    if (url !== undefined && line.startsWith('Press Ctrl-C to stop.')) {
      output.resume()
      return url
    }
  }
  throw new Error('The local environment ended before it was ready.')
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
