import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import { UserError } from '../../command-line/user-error.ts'
import { isRunning } from '../../operations/target/is-running.ts'

const execute = promisify(execFile)

/** Docker, or Finch, whose commands are the same. */
export interface ContainerEngine {
  /** @returns the standard output of a command */
  run(...words: readonly string[]): Promise<string>
  responds(): Promise<boolean>
  /** @param stopped is called when the engine stops. @returns a function that ends the watch */
  watch(stopped: () => void): () => void
}

/** @throws UserError when none responds */
export const findContainerEngine = async (): Promise<ContainerEngine> => {
  for (const program of ['docker', 'finch']) {
    const engine = containerEngine(program)
    if (await engine.responds()) return engine
  }
  throw new UserError('No container engine responds. Install Docker or Finch, or start the one that is installed.')
}

const containerEngine = (program: string): ContainerEngine => {
  const run = async (...words: readonly string[]) => (await execute(program, words)).stdout
  return {
    run,
    responds: () =>
      run('ps', '--quiet').then(
        () => true,
        () => false,
      ),
    watch: (stopped) => {
      // The stream of events ends with the engine.
      const events = spawn(program, ['events'], { stdio: 'ignore' }).once('exit', stopped)
      return () => {
        events.off('exit', stopped).kill()
      }
    },
  }
}

/** A network of containers that belongs to one process. */
export interface ContainerNetwork {
  readonly name: string
  /** Such as `172.18.0.0/16`. */
  readonly subnet: string
  /** The address at which a container reaches this machine. */
  readonly gateway: string
  /** Removes the network with its containers. */
  remove(): Promise<void>
}

const prefix = 'pet-adoption-sam-'

/** Also removes networks of processes that were killed, or whose engine stopped. */
export const openNetwork = async (engine: ContainerEngine): Promise<ContainerNetwork> => {
  const listed = await engine.run('network', 'ls', '--format', '{{.Name}}')
  for (const old of listed.split('\n').filter((line) => line.startsWith(prefix))) {
    const pid = Number(old.slice(prefix.length))
    if (!(await isRunning({ pid, port: undefined }))) await removeNetwork(engine, old)
  }
  const name = `${prefix}${process.pid}`
  await engine.run('network', 'create', name)
  const [{ IPAM }]: [NetworkDescription] = JSON.parse(await engine.run('network', 'inspect', name))
  const addresses = IPAM.Config.find(({ Subnet }) => Subnet.includes('.'))
  if (addresses?.Gateway === undefined) throw new Error(`The network ${name} has no IPv4 gateway.`)
  return { name, subnet: addresses.Subnet, gateway: addresses.Gateway, remove: () => removeNetwork(engine, name) }
}

/** What `network inspect` writes: the parts of it that are read here. */
interface NetworkDescription {
  readonly IPAM: { readonly Config: readonly { readonly Subnet: string; readonly Gateway?: string }[] }
}

const removeNetwork = async (engine: ContainerEngine, name: string): Promise<void> => {
  const containers = (await engine.run('ps', '--all', '--quiet', '--filter', `network=${name}`)).split('\n')
  const ids = containers.filter((id) => id !== '')
  if (ids.length > 0) await engine.run('rm', '--force', ...ids)
  await engine.run('network', 'rm', name)
}
