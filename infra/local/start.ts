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

API reference:

  ${referenceUrl}

Demo API keys, valid on this machine only:
${keys.join('\n')}

Try it:
  curl -i -H "Authorization: Bearer ${first?.apiKey}" "${baseUrl}/pets?limit=3"

Press Ctrl-C to stop.`)
}

/** A Ctrl-C arrives twice: from the terminal, and again from npm, which forwards it. */
const echoMilliseconds = 500

/** The first signal stops the environment, a later one ends the process at once. */
const stopOnSignal = (environment: LocalEnvironment): void => {
  let stoppingSince: number | undefined
  const stop = async (): Promise<void> => {
    if (stoppingSince !== undefined) {
      if (performance.now() - stoppingSince > echoMilliseconds) process.exit(1)
      return
    }
    stoppingSince = performance.now()
    await environment.stop()
    process.exit(0)
  }
  process.on('SIGINT', stop).on('SIGTERM', stop)
}

await runCommand(usage, async () => {
  // Lambda's time zone, for every thread that starts after this.
  process.env['TZ'] = 'UTC'
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') {
    console.log(usage)
    return
  }
  const environment = await startLocalEnvironment(options)
  stopOnSignal(environment)
  announce(environment, process.uptime().toFixed(1))
})
