/** `npm run cost`: estimates what a month of requests costs on AWS. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { printReport } from '../../command-line/report.ts'
import { createTool, createWholeNumberParser, formatExamples, parseNumber, runTool } from '../../command-line/tool.ts'
import { UsageError } from '../../command-line/user-error.ts'
import { environments } from '../../environments.ts'
import { reportMonth, reportMonths } from './cost-report.ts'
import { listConfigurations, type Mix, requestKinds } from './estimate.ts'

const configurations = listConfigurations(environments)

const usualMix = 'list=0.7,get=0.2,create=0.1'

const description =
  'Estimates a month on AWS, by list prices of us-east-1 and without any free tier: ' +
  'a table of months of several sizes, or one month line by line. small is production with the preset small.'

/** Parses shares of kinds of requests, for example `list=0.7,get=0.2,create=0.1`. */
const parseMix = (text: string): Mix => {
  const shares = text.split(',').map((part) => {
    const [kind = '', share = ''] = part.split('=')
    const isKnown = requestKinds.some((known) => known === kind)
    return { kind, share: isKnown ? parseNumber(share) : Number.NaN }
  })

  const mix = Object.fromEntries(shares.map(({ kind, share }) => [kind, share]))
  const hasRepeatedKind = Object.keys(mix).length < shares.length
  // NaN, for a share that is no number or of an unknown kind, makes the sum NaN.
  const sum = shares.reduce((total, { share }) => total + share, 0)
  if (!hasRepeatedKind && Math.abs(sum - 1) < 1e-6) return mix
  throw new InvalidArgumentError(
    `It must be shares of ${requestKinds.join(', ')} that add up to 1, such as ${usualMix}.`,
  )
}

const environmentOption = new Option('--env <name>', 'with --requests: the environment')
  .choices(['production', 'small', 'staging'])
  .default('production' as const)

const tool = createTool('npm run cost --', description)
  .option('--requests <n>', 'requests a month, such as 1e6', createWholeNumberParser(1, 1e12))
  .addOption(environmentOption)
  .option('--mix <shares>', `shares of the kinds of requests: ${requestKinds.join(', ')}`, parseMix, parseMix(usualMix))
  .option('--json', 'print one JSON object')
  .addHelpText(
    'after',
    formatExamples('npm run cost', 'npm run cost -- --requests 1e6 --env small --mix list=0.7,get=0.2,create=0.1'),
  )
  .action(({ requests, env, mix, json = false }, command) => {
    if (requests === undefined && command.getOptionValueSource('env') === 'cli') {
      throw new UsageError('--env needs --requests: without it, the table shows every environment.')
    }
    const report =
      requests === undefined ? reportMonths(mix, configurations) : reportMonth(requests, mix, env, configurations[env])
    return printReport(report, json)
  })

await runTool(tool)
