/** `npm start`: runs the whole service on this machine. */
import { parseArgs } from 'node:util'
import { runCommand } from '../command-line/run-command.ts'
import { UserError } from '../command-line/user-error.ts'
import { engines, isEngine } from './database/database.ts'
import { type LocalEnvironment, type LocalEnvironmentOptions, startLocalEnvironment } from './environment.ts'

const usage = `Usage: npm start -- [--port N] [--data DIR] [--fresh] [--engine NAME] [--watch]

  --port N       listen on this port of this machine (default 3000; 0 takes a free one)
  --data DIR     keep the data in this folder (default .local)
  --fresh        delete the data first
  --engine NAME  ${engines.join(' or ')} (default dynalite; dynamodb-local needs Java 17)
  --watch        take up changes of the sources while it runs
  --help         show this`

const readOptions = (words: readonly string[]): LocalEnvironmentOptions | 'help' => {
  const { values } = parse(words)
  if (values.help) return 'help'
  const { port, engine } = values
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UserError('--port takes a number from 0 to 65535.')
  }
  if (!isEngine(engine)) throw new UserError(`--engine takes ${engines.join(' or ')}.`)
  return { port: Number(port), dataFolder: values.data, fresh: values.fresh, engine, watch: values.watch }
}

const parse = (words: readonly string[]) => {
  try {
    return parseArgs({
      args: [...words],
      options: {
        port: { type: 'string', default: '3000' },
        data: { type: 'string', default: '.local' },
        fresh: { type: 'boolean', default: false },
        engine: { type: 'string', default: 'dynalite' },
        watch: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    })
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error)
    throw new UserError(`${reason}. --help shows the options.`)
  }
}

const announce = ({ baseUrl, referenceUrl, demoKeys }: LocalEnvironment, seconds: string): void => {
  const [first] = demoKeys
  const keys = demoKeys.map(
    ({ plan, apiKey, allowance }) =>
      `  ${plan.padEnd(10)} ${apiKey}  (${allowance.perMinute} a minute, ${allowance.perDay} a day)`,
  )
  console.log(`The Pet Adoption API is ready after ${seconds} s.

  ${baseUrl}

Its reference, to read and to try:

  ${referenceUrl}

Demo API keys, for this machine only:
${keys.join('\n')}

Try it:
  curl -i -H "Authorization: Bearer ${first?.apiKey}" "${baseUrl}/pets?limit=3"

Ctrl-C ends it.`)
}

/** A Ctrl-C arrives twice: from the terminal, and again from npm, which hands it on. */
const echoMilliseconds = 500

/** The first signal ends the environment in good order, a later one at once. */
const endOnSignal = (environment: LocalEnvironment): void => {
  let endingSince: number | undefined
  const end = async (): Promise<void> => {
    if (endingSince !== undefined) {
      if (performance.now() - endingSince > echoMilliseconds) process.exit(1)
      return
    }
    endingSince = performance.now()
    await environment.stop()
    process.exit(0)
  }
  process.on('SIGINT', end).on('SIGTERM', end)
}

await runCommand(usage, async () => {
  // Lambda's time zone, for every thread that is started from here on.
  process.env['TZ'] = 'UTC'
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') {
    console.log(usage)
    return
  }
  const environment = await startLocalEnvironment(options)
  endOnSignal(environment)
  announce(environment, process.uptime().toFixed(1))
})
