import { ArnFormat, Duration, Stack, type StackProps } from 'aws-cdk-lib'
import { Alarm, AlarmStatusWidget, Dashboard } from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import {
  costRow,
  type DashboardProps,
  healthRow,
  limitsRow,
  tablesRow,
  trafficRow,
} from '../constructs/monitoring/dashboard-widgets.ts'
import { MonthlyBudget } from '../constructs/monitoring/monthly-budget.ts'
import { type AlarmScope, ServiceAlarm } from '../constructs/monitoring/service-alarm.ts'
import { TableAlarms } from '../constructs/monitoring/table-alarms.ts'
import { TrafficAlarms } from '../constructs/monitoring/traffic-alarms.ts'

export interface MonitoringStackProps extends StackProps, DashboardProps {
  readonly alarms: AlarmScope
  /** The stack whose alarms the dashboard shows in addition to those of this one. */
  readonly watched: Stack
}

/** The dashboard, the budget, and the alarms that roll no release back. */
export class MonitoringStack extends Stack {
  constructor(scope: Construct, id: string, props: MonitoringStackProps) {
    super(scope, id, props)
    const { environment, alarms, apiName, config, tables, watched } = props
    new TrafficAlarms(this, 'Traffic', { ...alarms, apiName, firewall: config.firewall })
    new TableAlarms(this, 'Pets', { ...alarms, name: 'pets', table: tables.pets })
    new TableAlarms(this, 'ApiKeys', { ...alarms, name: 'api-keys', table: tables.apiKeys })
    new TableAlarms(this, 'Idempotency', { ...alarms, name: 'idempotency', table: tables.idempotency })
    new MonthlyBudget(this, 'Budget', { ...alarms, dollars: config.monthlyBudget })

    const dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: `pet-adoption-${environment}`,
      defaultInterval: Duration.hours(12),
    })
    dashboard.addWidgets(this.#alarmsWidget([watched, this]))
    for (const row of [trafficRow, healthRow, limitsRow, tablesRow, costRow]) dashboard.addWidgets(...row(props))
  }

  #alarmsWidget(stacks: readonly Stack[]): AlarmStatusWidget {
    const all = stacks.flatMap(({ node }) => node.findAll()).filter((construct) => construct instanceof ServiceAlarm)
    return new AlarmStatusWidget({
      title: 'Alarms',
      width: 24,
      height: 4,
      alarms: all.map(({ fixedName }) => {
        const arn = this.formatArn({
          service: 'cloudwatch',
          resource: 'alarm',
          resourceName: fixedName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        })
        return Alarm.fromAlarmArn(this, fixedName, arn)
      }),
    })
  }
}
