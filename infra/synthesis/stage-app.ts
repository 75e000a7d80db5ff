/** The CDK app with one stage, as its defaults have it, which the first argument names: no command waits for another stage. */
import { createApp } from '../app.ts'
import { runCommand } from '../command-line/run-command.ts'
import { UserError } from '../command-line/user-error.ts'
import { defaults, environmentNames } from '../environments.ts'

await runCommand(() => {
  const name = environmentNames.find((one) => one === process.argv[2])
  if (name === undefined) throw new UserError(`The first argument must be ${environmentNames.join(' or ')}.`)
  createApp({ configs: { [name]: defaults[name] } }).synth()
})
