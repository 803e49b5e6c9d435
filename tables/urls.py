"""Addresses of the floor: pages and the live stream."""

from django.urls import path

from tables.api.views import FindView
from tables.views import taking_back
from tables.views.audit import books, finding, pages, replays
from tables.views.cage import beyond_house, counting, day, desks, stocking, window
from tables.views.collection import dues, published
from tables.views.dispute import page
from tables.views.dispute import records as disputes
from tables.views.floor import acts as floor_acts
from tables.views.floor import banks as floor_banks
from tables.views.floor import line_up
from tables.views.floor import pages as floor
from tables.views.house import acts as house
from tables.views.live import stream
from tables.views.players import pages as players
from tables.views.rounds import acts as rounds
from tables.views.rounds import dealer
from tables.views.seats import acts as seats
from tables.views.seats import chip_corrections
from tables.views.seats.who import WhoIsIt
from tables.views.waiting import acts as waiting

urlpatterns = [
    path("live/", stream.stream, name="live"),
    path("search/", finding.search, name="search"),
    path("api/books/search", FindView.as_view(), name="api-find"),
    path("house/games/", house.ChooseGames.as_view(), name="house-games"),
    path("house/tables/", house.listed, name="house-tables"),
    path("house/tables/add/", house.AddTable.as_view(), name="add-table"),
    path("house/tables/<int:table_id>/turn/", house.TurnTable.as_view(), name="turn-table"),
    path("house/tables/<int:table_id>/retire/", house.RetireTable.as_view(), name="retire-table"),
    path("house/tables/<int:table_id>/restore/", house.RestoreTable.as_view(), name="restore-table"),
    path("dealer/", dealer.choose, name="dealer"),
    path("dealer/tablet/<str:name>", dealer.tablet_file, name="tablet-file"),
    path("dealer/sessions/<int:session_id>/", dealer.deal, name="dealer-session"),
    path("dealer/sessions/<int:session_id>/push/", dealer.HandOver.as_view(), name="hand-over"),
    path("dealer/sessions/<int:session_id>/take/", dealer.TakeTable.as_view(), name="take-table"),
    path("floor/", floor.board, name="floor"),
    path("floor/time/", floor_acts.ConfirmTime.as_view(), name="confirm-time"),
    path("floor/dealers/", line_up.line_up, name="line-up"),
    path("floor/dealers/<int:dealer_id>/<slug:does>/", line_up.OrderLine.as_view(), name="order-line"),
    path("floor/handovers/", line_up.Handovers.as_view(), name="handovers"),
    path("floor/handovers/<int:number>/", line_up.handover, name="handover"),
    path("floor/needs/", line_up.done, name="needs"),
    path("floor/needs/<slug:does>/", line_up.ChangeNeed.as_view(), name="change-need"),
    path("floor/open/", floor_acts.OpenTable.as_view(), name="floor-open"),
    path("floor/games/", floor.games_page, name="games"),
    path("floor/games/<slug:code>/", floor.game_page, name="game"),
    path("floor/sessions/<int:session_id>/", floor.session_page, name="floor-session"),
    path("floor/sessions/<int:session_id>/panel/", floor.panel, name="floor-panel"),
    path("floor/sessions/<int:session_id>/stop-clock/", floor_acts.StopClock.as_view(), name="stop-clock"),
    path("floor/sessions/<int:session_id>/start-clock/", floor_acts.StartClock.as_view(), name="start-clock"),
    path("sessions/<int:session_id>/bank/", floor_banks.bank, name="bank"),
    path("sessions/<int:session_id>/bank/<slug:kind>/", floor_banks.AskBank.as_view(), name="ask-bank"),
    path("documents/<int:document_id>/", floor_banks.DocumentPage.as_view(), name="document"),
    path("documents/<int:document_id>/void/", floor_banks.VoidDocument.as_view(), name="void-document"),
    path("floor/sessions/<int:session_id>/box/", floor_acts.ChangeBox.as_view(), name="change-box"),
    path("floor/sessions/<int:session_id>/count-bank/", floor_acts.CountBank.as_view(), name="count-bank"),
    path("floor/sessions/<int:session_id>/close/", floor_acts.CloseTable.as_view(), name="close-table"),
    path("floor/sessions/<int:session_id>/break/", floor_acts.BreakTable.as_view(), name="break-table"),
    path("floor/sessions/<int:session_id>/push/", dealer.PushDealer.as_view(), name="push-dealer"),
    path("floor/sessions/<int:session_id>/call-off/", rounds.CallOffMatch.as_view(), name="call-off"),
    path("floor/sessions/<int:session_id>/rate/", published.ChangeRate.as_view(), name="change-rate"),
    path(
        "floor/sessions/<int:session_id>/rate/back/", published.WithdrawRate.as_view(), name="withdraw-rate"
    ),
    path("rates/", published.rates, name="rates"),
    path("rates/card/", published.card, name="rate-card"),
    path("rates/publish/", published.PublishRate.as_view(), name="publish-rate"),
    path("floor/sessions/<int:session_id>/start/", rounds.StartRound.as_view(), name="start-round"),
    path("floor/rounds/<int:round_id>/void/", rounds.VoidRound.as_view(), name="void-round"),
    path(
        "floor/corrections/<int:correction_id>/approve/",
        rounds.ApproveCorrection.as_view(),
        name="approve-correction",
    ),
    path(
        "floor/corrections/<int:correction_id>/refuse/",
        rounds.RefuseCorrection.as_view(),
        name="refuse-correction",
    ),
    path("floor/claims/<int:claim_id>/paid/", rounds.PayClaim.as_view(), name="pay-claim"),
    path("floor/rounds/<int:round_id>/time/", rounds.CallTime.as_view(), name="call-time"),
    path(
        "floor/rounds/<int:round_id>/by-hand/",
        rounds.AskSettlementByHand.as_view(),
        name="settle-by-hand",
    ),
    path("sessions/<int:session_id>/count/", seats.CountChips.as_view(), name="count-chips"),
    path("waiting/", waiting.Lists.as_view(), name="waiting"),
    path("waiting/places/<int:place_id>/call/", waiting.Call.as_view(), name="call-place"),
    path("waiting/places/<int:place_id>/seat/", waiting.SeatPlace.as_view(), name="seat-place"),
    path("waiting/places/<int:place_id>/back/", waiting.PutBack.as_view(), name="put-back"),
    path("waiting/places/<int:place_id>/leave/", waiting.Leave.as_view(), name="leave-list"),
    path("waiting/must-move/<int:sitting_id>/", floor_acts.MoveUp.as_view(), name="move-up"),
    path("floor/sessions/<int:session_id>/must-move/", floor_acts.MustMove.as_view(), name="must-move"),
    path("sessions/<int:session_id>/seats/<int:seat>/hold/", waiting.HoldSeat.as_view(), name="hold-seat"),
    path("sittings/<int:sitting_id>/change/", waiting.TableChange.as_view(), name="table-change"),
    path("sessions/<int:session_id>/seats/", seats.panel, name="seats"),
    path("sessions/<int:session_id>/seats/<int:seat>/buy-in/", seats.BuyIn.as_view(), name="buy-in"),
    path("sittings/<int:sitting_id>/", pages.sitting_page, name="sitting"),
    path("sittings/<int:sitting_id>/statement.csv", pages.sitting_csv, name="sitting-csv"),
    path("floor/sessions/<int:session_id>/chips/", chip_corrections.listed, name="chips"),
    path("chips/<int:entry_id>/correct/", chip_corrections.CorrectChips.as_view(), name="correct-chips"),
    path("sittings/<int:sitting_id>/who/", WhoIsIt.as_view(), name="who-is-it"),
    path("sittings/<int:sitting_id>/add-on/", seats.AddOn.as_view(), name="add-on"),
    path("sittings/<int:sitting_id>/sit-out/", seats.SitOut.as_view(), name="sit-out"),
    path("sittings/<int:sitting_id>/return/", seats.Return.as_view(), name="return"),
    path("sittings/<int:sitting_id>/pay/", seats.PayFee.as_view(), name="pay-fee"),
    path("sittings/<int:sitting_id>/toke/", seats.Toke.as_view(), name="toke"),
    path("sittings/<int:sitting_id>/seat/", seats.ChangeSeat.as_view(), name="change-seat"),
    path("sittings/<int:sitting_id>/move/", seats.MovePlayer.as_view(), name="move"),
    path("sittings/<int:sitting_id>/cash-out/", seats.CashOut.as_view(), name="cash-out"),
    path("sittings/<int:sitting_id>/pick-up/", seats.PickUp.as_view(), name="pick-up"),
    path("floor/sessions/<int:session_id>/fees/", taking_back.fees, name="fees"),
    path("entries/<int:entry_id>/undo/", taking_back.Undo.as_view(), name="undo"),
    path("entries/<int:entry_id>/back/", taking_back.TakeBackFee.as_view(), name="take-back"),
    path("cashier/entries/<int:entry_id>/undo/", taking_back.UndoAtCage.as_view(), name="undo-at-cage"),
    path(
        "cashier/entries/<int:entry_id>/back/", taking_back.TakeBackAtCage.as_view(), name="take-back-at-cage"
    ),
    path("count/", counting.room, name="count"),
    path("count/days/<day:day>/begin/", counting.BeginSheet.as_view(), name="begin-count-sheet"),
    path("count/boxes/<int:box_id>/", counting.CountBox.as_view(), name="count-box"),
    path("count/sheets/<int:sheet_id>/", counting.CountSheetPage.as_view(), name="count-sheet"),
    path("count/sheets/<int:sheet_id>/receive/", counting.ReceiveSheet.as_view(), name="receive-sheet"),
    path("count/receive/", counting.ReceiveBoxes.as_view(), name="receive-boxes"),
    path("count/sheets/<int:sheet_id>/notes/", counting.NoteOnSheet.as_view(), name="note-on-count-sheet"),
    path("cashier/", desks.cashier, name="cashier"),
    path("cashier/vault/", desks.vault, name="cashier-vault"),
    path("cashier/day/", desks.day, name="cashier-day"),
    path("cashier/tokes/<int:dealer_id>/", window.PayOutTokes.as_view(), name="pay-out-tokes"),
    path("cashier/sell/", window.SellChips.as_view(), name="sell-chips"),
    path("cashier/redeem/", window.RedeemChips.as_view(), name="redeem-chips"),
    path("cashier/change/", window.ChangeChips.as_view(), name="change-chips"),
    path("cashier/fees/<int:sitting_id>/", window.PayFeeAtWindow.as_view(), name="pay-at-cage"),
    path("cashier/receipts/<int:entry_id>/", window.receipt, name="receipt"),
    path("cashier/days/<day:day>/reconciliation/", desks.reconciliation, name="reconciliation"),
    path("cashier/days/<day:day>/close/", day.CloseDay.as_view(), name="close-day"),
    path("cashier/days/<day:day>/shifts/<int:number>/", day.CloseShift.as_view(), name="close-shift"),
    path("cashier/stock/", stocking.CountFirst.as_view(way="opening"), name="stock-cage"),
    path("cashier/vault/count/", stocking.CountFirst.as_view(way="count"), name="vault-count"),
    path("cashier/vault/unclaimed/", stocking.CountFirst.as_view(way="unclaimed"), name="unclaimed-count"),
    path("cashier/vault/reserve/", stocking.CountFirst.as_view(way="reserve"), name="reserve-count"),
    path("cashier/drawers/", stocking.OpenDrawer.as_view(), name="open-drawer"),
    path("cashier/drawers/<int:drawer_id>/", stocking.drawer_page, name="drawer"),
    path(
        "cashier/drawers/<int:drawer_id>/take/",
        stocking.CountDrawer.as_view(way="to_drawer"),
        name="drawer-take",
    ),
    path(
        "cashier/drawers/<int:drawer_id>/give-back/",
        stocking.CountDrawer.as_view(way="from_drawer"),
        name="drawer-give-back",
    ),
    path(
        "cashier/drawers/<int:drawer_id>/close/",
        stocking.CountDrawer.as_view(way="closing"),
        name="drawer-close",
    ),
    *(
        path(
            f"cashier/{slug}/",
            beyond_house.Begin.as_view(code=kind.code, rights=kind.begins.rights),
            name=f"begin-{slug}",
        )
        for slug, kind in beyond_house.BY_ADDRESS.items()
    ),
    path("cashier/beyond/", beyond_house.AcceptChips.as_view(), name="chips-beyond-books"),
    path("cashier/slips/<int:slip_id>/", stocking.Slip.as_view(), name="cage-slip"),
    path("cashier/slips/<int:slip_id>/withdraw/", stocking.WithdrawSlip.as_view(), name="withdraw-slip"),
    path("cashier/boxes/<int:box_id>/", day.Box.as_view(), name="cashier-box"),
    path("cashier/banks/<int:entry_id>/", day.Bank.as_view(), name="cashier-bank"),
    path("players/", players.register, name="players"),
    path("players/suggest/", players.suggestions, name="suggest-players"),
    path("players/<int:player_id>/", players.Entry.as_view(), name="player"),
    path("players/<int:player_id>/merge/", players.find_other, name="find-other-player"),
    path("players/<int:player_id>/merge/<int:other_id>/", players.Merge.as_view(), name="merge-players"),
    path("dispute/", page.show, name="dispute"),
    path("disputes/", disputes.listed, name="disputes"),
    path("disputes/complaint/", disputes.TakeComplaint.as_view(), name="take-complaint"),
    path("disputes/<int:dispute_id>/decide/", disputes.DecideDispute.as_view(), name="decide-dispute"),
    path("floor/sessions/<int:session_id>/dispute/", disputes.TakeDispute.as_view(), name="take-dispute"),
    path("audit/", pages.home, name="audit"),
    path("audit/places/", pages.places, name="house-places"),
    path("audit/cash/", pages.patrons_cash, name="patrons-cash"),
    path("audit/variance/", pages.variance_page, name="box-variance"),
    path("audit/replay/", replays.replay_page, name="replay"),
    path("audit/replay.csv", replays.replay_csv, name="replay-csv"),
    path("audit/replay/keep/", replays.KeepReplay.as_view(), name="keep-replay"),
    path("audit/days/<day:day>/", pages.day_page, name="audit-day"),
    path("audit/days/<day:day>/journal/", books.journal_page, name="journal"),
    path("audit/entries/<int:entry_id>/", books.entry_page, name="entry"),
    path("audit/accounts/<int:account_id>/", books.account_page, name="account"),
    path("audit/sessions/<int:session_id>/", pages.table_session_page, name="table-session"),
    path("audit/sessions/<int:session_id>/session.csv", pages.table_session_csv, name="table-session-csv"),
    path("audit/rounds/", finding.find_rounds, name="find-rounds"),
    path("audit/players/<int:player_id>/", pages.player_page, name="audit-player"),
    path("audit/players/<int:player_id>/day.csv", pages.player_csv, name="player-csv"),
    path("downs/<int:down_id>/", pages.down_page, name="down"),
    path("rounds/<int:round_id>/", pages.round_page, name="round"),
    path("rounds/<int:round_id>/dispute/", page.check_round, name="check-round"),
    path("floor/due/", dues.board, name="dues"),
    path("sittings/<int:sitting_id>/cash/", dues.TakeCash.as_view(), name="take-cash"),
    path("sittings/<int:sitting_id>/waive/", dues.WaiveFee.as_view(), name="waive-fee"),
    path("sittings/<int:sitting_id>/gone/", dues.LeftWithoutPaying.as_view(), name="left-unpaid"),
    path("rates/reasons/", published.reasons, name="waiver-reasons"),
    path("rates/reasons/publish/", published.PublishReason.as_view(), name="publish-reason"),
    path(
        "rates/reasons/<int:reason_id>/withdraw/", published.WithdrawReason.as_view(), name="withdraw-reason"
    ),
]
