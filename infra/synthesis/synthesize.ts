import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { UserError } from '../command-line/user-error.ts'
import { isProcessRunning } from '../operations/environment/local-environment-record.ts'

const projectFolder = fileURLToPath(new URL('../../', import.meta.url))

/** Each cloud assembly in a folder named by the hash of what it is made of. */
const assemblies = join(projectFolder, '.build/assemblies')

/** All that templates and bundles are made of. */
const sources = ['cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json', '{functions,infra,shared}/**/*.*']

/** What changes neither a template nor a bundle. */
const exclude = ['**/*.md', '**/__pycache__/**', 'infra/local/**', 'infra/operations/**', 'infra/synthesis/**']

/** Values of the CDK's context, beside those of cdk.json. */
type Context = Readonly<Record<string, unknown>>

/** Where the cloud assembly of the sources as they are now belongs. */
export const assemblyFolder = (context: Context = {}, cwd = projectFolder): string => {
  const hash = createHash('sha256').update(JSON.stringify([process.version, context]))
  for (const file of globSync(sources, { cwd, exclude }).toSorted()) {
    // One that an editor or git replaces is not there for a moment.
    const content = existsSync(join(cwd, file)) ? readFileSync(join(cwd, file)) : ''
    hash.update(file).update(content)
  }
  return join(assemblies, hash.digest('hex').slice(0, 32))
}

/**
 * Synthesizes the stage that runs on this machine, as `cdk synth` does, unless its assembly is there: the CDK needs some
 * seconds, reading the sources some milliseconds. The assembly stays until this process ends or releases it.
 *
 * @returns the folder of the cloud assembly
 * @throws UserError with what the app printed, when it fails
 */
export const synthesize = async (context: Context = {}): Promise<string> => {
  const folder = assemblyFolder(context)
  try {
    mkdirSync(assemblies, { recursive: true })
    // First, so that no other process removes the assembly once it is found.
    writeFileSync(useOf(folder), '')
    if (!existsSync(folder)) await write(folder, context)
    if (existsSync(folder)) return folder
  } catch (error) {
    const isOfSystem = error instanceof Error && 'syscall' in error
    throw isOfSystem ? new UserError(`The templates cannot be written (${error.message}).`) : error
  } finally {
    if (!existsSync(folder)) releaseAssembly(folder)
  }
  // The sources changed while the app read them.
  return synthesize(context)
}

/** Writes the assembly beside its folder and then renames it, so that nobody sees half of one; not if the sources changed. */
const write = async (folder: string, context: Context): Promise<void> => {
  const unfinished = mkdtempSync(`${useOf(folder)}.`)
  try {
    await runApp(unfinished, context)
    if (assemblyFolder(context) === folder) renameSync(unfinished, folder)
    await removeUnused()
  } catch (error) {
    // Where another process was faster, its assembly is the same.
    if (!existsSync(folder)) throw error
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** Says that this process does not use an assembly any more. */
export const releaseAssembly = (folder: string): void => rmSync(useOf(folder), { force: true })

/** A file that says which process uses an assembly. */
const useOf = (folder: string): string => `${folder}.${process.pid}`

/** Removes the assemblies that no running process uses, and what killed processes have left. */
const removeUnused = async (): Promise<void> => {
  const used = new Set<string>()
  const names = readdirSync(assemblies)
  for (const name of names) {
    const [hash = '', pid] = name.split('.')
    if (pid !== undefined && (await isProcessRunning({ pid: Number(pid), port: undefined }))) used.add(hash).add(name)
  }
  for (const name of names) {
    if (!used.has(name)) rmSync(join(assemblies, name), { recursive: true, force: true })
  }
}

/**
 * In a separate process, like `cdk synth`: the CDK keeps the process busy for seconds, and the
 * sources of a long-running process would be loaded only once.
 */
const runApp = async (folder: string, context: Context): Promise<void> => {
  // The Region, the credentials and the CDK's own options of this shell change no template.
  const environment = Object.entries(process.env).filter(([name]) => !/^(AWS|CDK)_/.test(name))
  const env = {
    ...Object.fromEntries(environment),
    CDK_OUTDIR: folder,
    CDK_CONTEXT_JSON: JSON.stringify(context),
    // The CDK's checks of templates take longer than all the rest, and change no template.
    CDK_VALIDATION: 'false',
  }
  const app = promisify(execFile)(process.execPath, ['infra/synthesis/stage-app.ts'], { cwd: projectFolder, env })
  await app.catch(({ stderr, message }: { readonly stderr: string; readonly message: string }) => {
    const problem = stderr.replace(/^Bundling asset .*$\n/gm, '').trim() || message
    throw new UserError(`The CDK app does not synthesize:\n${problem}`)
  })
}
